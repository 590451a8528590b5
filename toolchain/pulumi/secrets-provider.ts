import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { stackFileName } from "./stack-name.ts";

/**
 * Arguments for pulumi, with the secrets provider of the stack file where a stack is made: `stack init` takes that from its own
 * option only, and without it puts a passphrase in the provider's place in the file, which nothing that is encrypted there can be
 * read with any more.
 *
 * @param cwd where the stack file lies
 */
export async function withSecretsProvider(args: readonly string[], cwd: string): Promise<readonly string[]> {
  const { values, positionals } = parseArgs({ args: [...args], options, strict: false });
  const [group, command, name = values["stack"]] = positionals;
  if (group !== "stack" || command !== "init" || typeof name !== "string") return args;
  if (values["secrets-provider"] !== undefined) return args;
  const provider = await providerIn(join(cwd, stackFileName(name)));
  return provider === undefined ? args : [...args, `--secrets-provider=${provider}`];
}

/** Those of `stack init` whose value would be taken for the name. */
const options = {
  stack: { type: "string", short: "s" },
  "secrets-provider": { type: "string" },
  "copy-config-from": { type: "string" },
  color: { type: "string" },
} as const;

async function providerIn(stackFile: string): Promise<string | undefined> {
  try {
    const { secretsprovider } = parse(await readFile(stackFile, "utf8")) as { secretsprovider?: unknown };
    return typeof secretsprovider === "string" ? secretsprovider : undefined;
  } catch {
    return undefined; // there is none yet, or pulumi says better what is wrong with it
  }
}
