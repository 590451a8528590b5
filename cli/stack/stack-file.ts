import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathText } from "../../spec/problems.ts";
import { checkNamespaces, checkTopLevel } from "../../spec/stray-keys.ts";
import { typedText } from "../../spec/values/typed-text.ts";
import { versions, type Versions } from "../../spec/versions.ts";
import { parse, shown } from "../../spec/wording.ts";
import { stackFileName } from "../../toolchain/pulumi/stack-name.ts";
import { parseStackFile, wholeKey } from "../../toolchain/pulumi/stack-yaml.ts";
import { yamlProblem } from "../../toolchain/yaml-problem.ts";
import { hasServers, programsOf } from "./typed-programs.ts";

/** The path of a stack's file. */
export const stackFile = (root: string, stack: string): string => join(root, stackFileName(stack));

/** The parts of a stack file that `npm start` uses. */
export interface StackFile {
  /** The defaults if they are wrong: pulumi reports that, with everything else. */
  readonly versions: Versions;
  readonly sample: boolean;
  /** Where the servers of its control plane run; on this machine if that is mistyped, nowhere if it has none. */
  readonly placement: "local" | "hosts" | "kubernetes" | "none";
  /** Programs that only some stacks need, and this one does; without a control plane all but pulumi. */
  readonly programs: readonly string[];
  /** Versions of single programs, by their names. */
  readonly ownVersions: Readonly<Record<string, string>>;
}

/** @throws when there is no such file, or it is not YAML */
export async function readStackFile(root: string, stack: string): Promise<StackFile> {
  const path = stackFile(root, stack);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    throw new Error(
      `stack ${stack}: there is no file ${path}, write one (examples/ has one for each way to run) or choose another stack with --stack`,
    );
  });
  return stackFileOf(readConfigOf(text, path), root);
}

/** @param directory where relative paths in it start */
export function stackFileOf(config: Record<string, unknown>, directory: string): StackFile {
  return {
    versions: parse(versions, config["karmada:versions"], []).value ?? versions.parse(undefined),
    sample: String(config["karmada:sample"]) === "true",
    placement: placementOf(config),
    programs: programsOf(config, directory),
    ownVersions: ownVersionsOf(config["karmada:controlPlane"]),
  };
}

/** Which program a stack runs, by its file; `karmada` by default. */
export async function programOf(root: string, stack: string): Promise<string> {
  return String((await configOfStack(root, stack))?.["karmada:program"] ?? "karmada");
}

/** The values that the file of a stack sets; undefined without one. */
export async function configOfStack(root: string, stack: string): Promise<Record<string, unknown> | undefined> {
  const path = stackFile(root, stack);
  const text = await readFile(path, "utf8").catch(() => undefined);
  return text === undefined ? undefined : configOf(text, path);
}

/**
 * The values that a stack file's text sets, for a file whose keys are all read.
 * @throws naming misplaced keys that nothing would read
 */
export function readConfigOf(text: string, path: string): Record<string, unknown> {
  const file = fileOf(text, path);
  const config = configIn(file, path);
  const problems = [...checkTopLevel(Object.keys(file)), ...checkNamespaces(Object.keys(config), project)];
  if (problems.length === 0) return config;
  const lines = problems.map(({ path, message }) => `  ${pathText(path)}: ${message}`);
  throw new Error(`${path}: it is wrong\n${lines.join("\n")}`);
}

/** The values that a stack file's text sets, by their whole keys. @throws with the file's name and the place in it when it is not YAML */
export const configOf = (text: string, path: string): Record<string, unknown> => configIn(fileOf(text, path), path);

/** The project's name, in Pulumi.yaml. */
const project = "karmada";

const fileOf = (text: string, path: string) => mapping(yamlOf(text, path), `${path}: `);

function configIn(file: Record<string, unknown>, path: string): Record<string, unknown> {
  const entries = Object.entries(mapping(file["config"], `${path}: config: `));
  return Object.fromEntries(
    entries.map(([typed, value]) => {
      const key = wholeKey(typed, project);
      return [key, typeof value === "string" ? typedText(key.slice(project.length + 1), value) : value];
    }),
  );
}

function yamlOf(text: string, path: string): unknown {
  try {
    return parseStackFile(text);
  } catch (error) {
    const failure = error as Error & { code?: string };
    const isSeveral = failure.code === "MULTIPLE_DOCS";
    const cause = isSeveral ? 'it has several documents (a line "---"), want one' : yamlProblem(failure);
    throw new Error(`${path}: cannot be read as YAML: ${cause}`, { cause: error });
  }
}

/** An empty file, or key, sets nothing. */
function mapping(value: unknown, where: string): Record<string, unknown> {
  if (value === null || value === undefined) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error(`${where}got ${shown(value)}, want keys with their values, as the examples have them`);
}

/** Where the servers of a stack run, as far as it is typed right: see {@link StackFile}. */
export function placementOf(config: Readonly<Record<string, unknown>>): StackFile["placement"] {
  if (!hasServers(config)) return "none";
  const { kind } = (config["karmada:placement"] ?? {}) as { kind?: unknown };
  return kind === "hosts" || kind === "kubernetes" ? kind : "local";
}

/** From what was typed, as far as it is text. */
function ownVersionsOf(controlPlane: unknown): Record<string, string> {
  const typed = Object.entries((controlPlane ?? {}) as Record<string, { version?: unknown } | null>);
  return Object.fromEntries(
    typed.flatMap(([program, settings]) =>
      typeof settings?.version === "string" ? [[program, settings.version] as const] : [],
    ),
  );
}

/**
 * Lets pulumi write its encryption settings into a stack file without writing the rest of the file anew: comments, order
 * and quotes stay the operator's.
 */
export async function keepingText<T>(root: string, stack: string, change: () => Promise<T>): Promise<T> {
  const path = stackFile(root, stack);
  const before = await readFile(path, "utf8");
  try {
    return await change();
  } finally {
    const settings = (await readFile(path, "utf8")).match(encryptionSettings) ?? [];
    await writeFile(path, withLastLineEnded(before.replace(encryptionSettings, "")) + settings.join(""));
  }
}

/** Not every editor ends the last line, and additions have to be on their own line. */
const withLastLineEnded = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

const encryptionSettings = /^(encryptionsalt|secretsprovider|encryptedkey):.*\n?/gm;

/**
 * Removes what `pulumi stack init` wrote into the stack file for encryption, if nothing in it is encrypted: without the
 * stack it is meaningless, and a later stack may have another passphrase. A secrets provider is the operator's choice,
 * and stays.
 */
export async function forgetEncryption(root: string, stack: string): Promise<void> {
  const path = stackFile(root, stack);
  const text = await readFile(path, "utf8");
  const without = withoutEncryption(text);
  if (without !== text) await writeFile(path, without);
}

/** The text of a stack file without its encryption settings; unchanged when it has encrypted values. */
export function withoutEncryption(text: string): string {
  return /\bsecure["']?\s*:|^secretsprovider:/m.test(text) ? text : text.replace(encryptionSettings, "");
}
