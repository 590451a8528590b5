import { existsSync } from "node:fs";
import { execa } from "execa";
import { pulumiEnvironment, whyFailed } from "../../toolchain/pulumi/index.ts";
import { missingStack } from "./missing-stack.ts";
import { stackFile } from "./stack-file.ts";
import { isSameStack } from "../../toolchain/pulumi/stack-name.ts";

/**
 * What pulumi prints for a machine to read.
 *
 * @throws with what pulumi said when it fails
 */
export async function pulumiJson<T>(root: string, args: readonly string[]): Promise<T> {
  return JSON.parse(await pulumiText(root, [...args, "--json"])) as T;
}

/** What is in the state of a stack that pulumi is not to delete, by its URN. */
export async function protectedResources(root: string, stack: string): Promise<string[]> {
  type State = { deployment?: { resources?: readonly { urn: string; protect?: boolean }[] } };
  const { deployment } = await exportedStack<State>(root, stack);
  return (deployment?.resources ?? []).filter(({ protect }) => protect === true).map(({ urn }) => urn);
}

/**
 * The state of a stack as Pulumi writes it out.
 *
 * @param flags `--show-secrets`: otherwise those are encrypted
 */
export const exportedStack = async <T>(root: string, stack: string, ...flags: readonly string[]): Promise<T> =>
  JSON.parse(await pulumiText(root, ["stack", "export", "--stack", stack, ...flags])) as T;

async function pulumiText(root: string, args: readonly string[]): Promise<string> {
  const { path, env, cwd } = await pulumiEnvironment({ cwd: root, args });
  const run = await execa(path, [...args, "--non-interactive"], {
    cwd,
    env,
    reject: false,
    timeout: 120_000,
  });
  if (run.exitCode !== 0) {
    const why = await whyFailed(env, cwd, args);
    const said = why === undefined ? run.stderr : `${run.stderr}\n${why}`;
    throw new Error(`pulumi ${args.join(" ")}: exit code ${run.exitCode}\n${said}`);
  }
  return run.stdout;
}

/** Whether the backend knows a stack. */
export async function stackExists(root: string, stack: string): Promise<boolean> {
  return isAmong(await stackNames(root), stack);
}

/** @throws when the backend does not know the stack, with what it knows */
export async function requireStack(root: string, stack: string): Promise<void> {
  const names = await stackNames(root);
  if (!isAmong(names, stack)) throw new Error(missingStack(stack, names, existsSync(stackFile(root, stack))));
}

async function stackNames(root: string): Promise<string[]> {
  const stacks = await pulumiJson<readonly { name: string }[]>(root, ["stack", "ls"]);
  return stacks.map(({ name }) => name);
}

const isAmong = (names: readonly string[], stack: string): boolean => names.some((name) => isSameStack(name, stack));

/** What the latest update did, by operation (`create`, `same`, ...). */
export async function latestChanges(root: string, stack: string): Promise<Readonly<Record<string, number>>> {
  type Update = { resourceChanges?: Record<string, number> };
  const [latest] = await pulumiJson<Update[]>(root, ["stack", "history", "--stack", stack, "--page-size", "1"]);
  return latest?.resourceChanges ?? {};
}
