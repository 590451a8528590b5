import { execa } from "execa";
import { pulumiEnvironment } from "../../toolchain/pulumi/index.ts";

/**
 * What pulumi prints for a machine to read.
 *
 * @throws with what pulumi said when it fails
 */
export async function pulumiJson<T>(root: string, args: readonly string[]): Promise<T> {
  const { path, env, cwd } = await pulumiEnvironment({ cwd: root, args });
  const run = await execa(path, [...args, "--json", "--non-interactive"], {
    cwd,
    env,
    reject: false,
    timeout: 120_000,
  });
  if (run.exitCode !== 0) throw new Error(`pulumi ${args.join(" ")}: exit code ${run.exitCode}\n${run.stderr}`);
  return JSON.parse(run.stdout) as T;
}

/** Whether the backend knows a stack. */
export async function stackExists(root: string, stack: string): Promise<boolean> {
  const stacks = await pulumiJson<readonly { name: string }[]>(root, ["stack", "ls"]);
  return stacks.some(({ name }) => name === stack || name.endsWith(`/${stack}`));
}

/** What the latest update did, by operation (`create`, `same`, ...). */
export async function latestChanges(root: string, stack: string): Promise<Readonly<Record<string, number>>> {
  type Update = { resourceChanges?: Record<string, number> };
  const [latest] = await pulumiJson<Update[]>(root, ["stack", "history", "--stack", stack, "--page-size", "1"]);
  return latest?.resourceChanges ?? {};
}
