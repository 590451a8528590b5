import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { stackFileName } from "./stack-name.ts";
import { parseStackFile } from "./stack-yaml.ts";

/**
 * Arguments for pulumi, with the secrets provider of the stack file where a stack is made: `stack init` takes that from its own
 * option only, and without it puts a passphrase in the provider's place in the file, which nothing that is encrypted there can be
 * read with any more.
 *
 * @param cwd where pulumi is started; the stack file lies there, or where `--cwd` says
 */
export async function withSecretsProvider(args: readonly string[], cwd: string): Promise<readonly string[]> {
  const { values, positionals } = parseArgs({ args: [...args], options, strict: false });
  const [group, command, name = values["stack"]] = positionals;
  if (group !== "stack" || command !== "init" || typeof name !== "string") return args;
  if (values["secrets-provider"] !== undefined) return args;
  const directory = typeof values["cwd"] === "string" ? resolve(cwd, values["cwd"]) : cwd;
  const provider = await secretsProviderIn(join(directory, stackFileName(name)));
  return provider === undefined ? args : [...args, `--secrets-provider=${provider}`];
}

/** Those of `stack init`, and of every command, whose value would be taken for the name, or for the command. */
const options = {
  stack: { type: "string", short: "s" },
  "secrets-provider": { type: "string" },
  "copy-config-from": { type: "string" },
  teams: { type: "string", multiple: true },
  color: { type: "string" },
  cwd: { type: "string", short: "C" },
  memprofilerate: { type: "string" },
  "otel-traces": { type: "string" },
  profiling: { type: "string" },
  tracing: { type: "string" },
  verbose: { type: "string", short: "v" },
} as const;

/** What encrypts in a stack file, if it names that; .github/workflows/pull-request.yml asks it too. */
export async function secretsProviderIn(stackFile: string): Promise<string | undefined> {
  try {
    const { secretsprovider } = parseStackFile(await readFile(stackFile, "utf8")) as { secretsprovider?: unknown };
    return typeof secretsprovider === "string" ? secretsprovider : undefined;
  } catch {
    return undefined; // there is none yet, or pulumi says better what is wrong with it
  }
}
