import { isAbsolute } from "node:path";
import type { FoundProcess } from "../../lib/hosts/found.ts";
import { accessOf, writeScript } from "../../lib/hosts/process.ts";
import { contentOf } from "../file-contents.ts";
import type { Problem } from "../implementation.ts";
import type { Declared } from "./declared.ts";

type FileInputs = Pick<Declared, "files" | "fileModes" | "component">;

export function checkFiles({ files = {} }: Partial<Declared>, reserved: readonly string[] = []): Problem[] {
  const problem = (key: string, want: string) => ({ property: "files", reason: `got "${key}", ${want}` });
  return Object.keys(files).flatMap((key) => {
    if (reserved.includes(key)) return [problem(key, "which is a name of ours")];
    const isBad = isAbsolute(key) || key.split("/").includes("..") || /\s/.test(key);
    return isBad ? [problem(key, "want a relative path without spaces")] : [];
  });
}

/** Keys of files that are no longer declared. */
export const goneFiles = (before: Declared["files"], { files }: Declared): string[] =>
  Object.keys(before).filter((key) => !(key in files));

/** The script that writes what differs of a process's files. */
export function filesScript(inputs: Declared, found: FoundProcess, gone: readonly string[]): string {
  const { name, component, deployment, dataDirectory } = inputs;
  const ours = deployment !== undefined && { deployment };
  const files = differingFiles(inputs, found).map((key) => ({
    key,
    content: contentOf(inputs.files[key]!, `${name}: ${key}`),
    mode: modeOf(inputs, key),
    isNew: found.pid === undefined && found.files[key] === undefined,
  }));
  return writeScript({ name, component, files, gone, ...ours, ...(dataDirectory !== undefined && { dataDirectory }) });
}

/** The keys of files that are not as declared, in content or access. */
export function differingFiles(inputs: FileInputs, found: FoundProcess): string[] {
  return Object.keys(inputs.files).filter((key) => {
    const file = found.files[key];
    return file?.sha256 !== inputs.files[key] || file?.access !== accessOf(modeOf(inputs, key), inputs.component);
  });
}

/** Drift of the files' content and permissions. */
export function fileDrift(inputs: FileInputs, found: FoundProcess): string[] {
  const isOfLostUser = (key: string) =>
    found.account === undefined &&
    found.files[key]?.sha256 === inputs.files[key] &&
    found.files[key]?.access === `${modeOf(inputs, key)} root:UNKNOWN`;
  return differingFiles(inputs, found)
    .filter((key) => !isOfLostUser(key))
    .map((key) => driftOfFile(inputs, found, key));
}

function driftOfFile(inputs: FileInputs, found: FoundProcess, key: string): string {
  const file = found.files[key];
  if (file === undefined) return `file ${key} is gone`;
  if (file.sha256 !== inputs.files[key]) return `file ${key} was changed by hand`;
  return `file ${key} is ${file.access}, want ${accessOf(modeOf(inputs, key), inputs.component)}`;
}

const modeOf = ({ fileModes }: Pick<Declared, "fileModes">, key: string): string => fileModes?.[key] ?? "640";
