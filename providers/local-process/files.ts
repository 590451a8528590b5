import { chmodSync, mkdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { writeAtomically } from "../../lib/atomic-file.ts";
import { removeIfEmpty } from "../../lib/remove-if-empty.ts";
import { sha256OfFile } from "../../lib/sha256.ts";
import { processPaths } from "../../lib/supervisor/process-paths.ts";
import { removeLogs } from "../../lib/supervisor/rotation.ts";
import { contentOf } from "../file-contents.ts";
import type { LocalProcessInputs } from "../local-process.ts";

type Declared = Pick<LocalProcessInputs, "directory" | "name" | "files" | "fileModes">;

/**
 * Writes the files that differ from their declaration, and removes those no longer declared. Others are not touched.
 */
export function writeFiles(inputs: Declared, before: Readonly<Record<string, string>> = {}): void {
  const paths = processPaths(inputs);
  mkdirSync(paths.data, { recursive: true, mode: 0o700 });
  for (const [key, digest] of Object.entries(inputs.files)) {
    const path = paths.file(key);
    const mode = modeOf(inputs, key);
    if (sha256OfFile(path) === digest) {
      if (permissions(path) !== mode) chmodSync(path, mode);
      continue;
    }
    writeAtomically(path, contentOf(digest, `${inputs.name}: ${key}`), mode);
  }
  for (const key of Object.keys(before)) if (!(key in inputs.files)) rmSync(paths.file(key), { force: true });
}

/** The digests of the files as they are; a missing one is `missing`, one with other permissions names them. */
export function filesAsTheyAre(inputs: Declared): Record<string, string> {
  const paths = processPaths(inputs);
  const entries = Object.keys(inputs.files).map((key) => {
    const digest = sha256OfFile(paths.file(key)) ?? "missing";
    if (digest === "missing" || permissions(paths.file(key)) === modeOf(inputs, key)) return [key, digest];
    return [key, `${digest} with permissions ${permissions(paths.file(key)).toString(8)}`];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

/** A sentence for each file that is not as it was declared. */
export function fileDrift(inputs: Declared, files = filesAsTheyAre(inputs)): string[] {
  return Object.keys(inputs.files)
    .filter((key) => files[key] !== inputs.files[key])
    .map((key) => (files[key] === "missing" ? `file ${key} is gone` : `file ${key} was changed by hand`));
}

/** Removes everything on disk of a stopped process: files, data and logs, and directories that become empty. */
export function removeProcessFiles(inputs: Pick<LocalProcessInputs, "directory" | "name">): void {
  const { own, log } = processPaths(inputs);
  rmSync(own, { recursive: true, force: true });
  removeLogs(log);
  removeIfEmpty(dirname(log));
  removeIfEmpty(inputs.directory);
}

function modeOf({ fileModes }: Declared, key: string): number {
  return parseInt(fileModes?.[key] ?? "600", 8);
}

function permissions(path: string): number {
  return statSync(path).mode & 0o777;
}
