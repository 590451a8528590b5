import { rm, writeFile } from "node:fs/promises";
import { execa } from "execa";
import { yamlText } from "../../lib/yaml-text.ts";
import { pulumiEnvironment } from "../../toolchain/pulumi/index.ts";
import { stackExists } from "../stack/pulumi.ts";
import { stackFile } from "../stack/stack-file.ts";
import type { AdoptedStack } from "./stack-config.ts";

/**
 * Writes a stack file, and has pulumi encrypt its secrets into it; the stack is created if it does not exist. Neither
 * is left behind on failure.
 */
export async function writeStack(
  root: string,
  stack: string,
  { config, secrets }: Pick<AdoptedStack, "config" | "secrets">,
): Promise<void> {
  const path = stackFile(root, stack);
  const isNew = !(await stackExists(root, stack));
  const keys = Object.fromEntries(Object.entries(config).map(([key, value]) => [`karmada:${key}`, value]));
  await writeFile(path, `${head}${yamlText({ config: keys }, { lineWidth: 0 })}`, { flag: "wx", mode: 0o600 });
  try {
    if (isNew) await pulumi(root, ["stack", "init", stack, "--no-select"]);
    for (const [place, text] of secrets)
      await pulumi(root, ["config", "set", "--stack", stack, "--secret", "--path", `karmada:${place}`], text);
  } catch (error) {
    if (isNew) await pulumi(root, ["stack", "rm", stack, "--yes", "--preserve-config"]).catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  }
}

const head = "# yaml-language-server: $schema=schema/stack.schema.json\n";

/** Values are passed on standard input, which nobody else sees. */
async function pulumi(root: string, args: readonly string[], input = ""): Promise<void> {
  const { path, env, cwd } = await pulumiEnvironment({ cwd: root, args });
  const run = await execa(path, [...args, "--non-interactive"], { cwd, env, input, reject: false, timeout: 120_000 });
  if (run.exitCode !== 0) throw new Error(`pulumi ${args.join(" ")}: exit code ${run.exitCode}\n${run.stderr}`);
}
