import { homedir } from "node:os";
import { pathText, type Problem, SpecError } from "../../spec/problems.ts";
import { resolve } from "../../spec/resolve.ts";
import { fileContent } from "../../stacks/named-files.ts";
import { simpleName } from "../../toolchain/pulumi/stack-name.ts";
import type { AdoptedStack } from "./stack-config.ts";

/**
 * The stack without the flags and feature gates that programs of these versions do not accept, or that follow from
 * other settings here; each is reported.
 *
 * @throws what else the preview would say of the stack file
 */
export function fitted(stack: string, adopted: AdoptedStack, directory: string): AdoptedStack {
  const problems = problemsOf(stack, adopted, directory);
  if (problems.length === 0) return adopted;
  if (!problems.every(isOfArgument)) throw new SpecError(stack, problems);
  const config = structuredClone(adopted.config);
  for (const { path } of problems) {
    const [section, program, kind, name] = path as [string, string, string, string];
    const programs = config[section] as Record<string, Record<string, Record<string, unknown>>>;
    delete programs[program]![kind]![name];
  }
  const left = problems.map(({ path, message }) => `${pathText(path)} is not carried over: ${message}`);
  return fitted(stack, { ...adopted, config, notes: [...adopted.notes, ...left] }, directory);
}

const isOfArgument = ({ path: [section, , kind, name] }: Problem): boolean =>
  section === "controlPlane" && ["extraArgs", "featureGates"].includes(String(kind)) && name !== undefined;

function problemsOf(stack: string, { config, secrets }: AdoptedStack, directory: string): readonly Problem[] {
  const typed = structuredClone(config) as Record<string, unknown>;
  for (const [path, text] of secrets) put(typed, path, text);
  const { path } = (typed["placement"] as { credentials: { path: string } }).credentials;
  try {
    resolve(typed, {
      stack: simpleName(stack),
      directory,
      home: homedir(),
      files: { [path]: fileContent(path, directory) },
    });
    return [];
  } catch (error) {
    if (error instanceof SpecError) return error.problems;
    throw error;
  }
}

/** Sets a value at `members[0].credentials.kubeconfig`. */
function put(into: Record<string, unknown>, path: string, value: unknown): void {
  const parts = path.match(/[^.[\]]+/g) ?? [];
  const last = parts.pop() ?? "";
  let at = into;
  for (const part of parts) at = at[part] as Record<string, unknown>;
  at[last] = value;
}
