import { chmodSync, mkdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { sha256, sha256OfFile, writeAtomically } from "../lib/supervisor/atomic-file.ts";
import { processPaths } from "../lib/supervisor/process-paths.ts";
import { removeLogs } from "../lib/supervisor/rotation.ts";
import { unknown } from "./implementation.ts";
import type { LocalProcessInputs } from "./local-process.ts";

/**
 * Contents by their digest, as the checks of this run have seen them. The engine checks every resource in the process
 * that later creates or updates it, so what is recorded, and kept in the state, can be the digest alone.
 */
const contents = new Map<string, string>();

/** Remembers a content for `writeFiles` and gives its digest. */
function remember(content: string): string {
  const digest = sha256(content);
  contents.set(digest, content);
  return digest;
}

/**
 * The digest of each of a record of contents, those of a preview that are not known yet left as they are. Whoever holds
 * digests already (a test, an older state) may hand them in as `files`.
 */
export function digests(contents: unknown, files: unknown): unknown {
  if (typeof contents !== "object" || contents === null) return contents ?? files ?? {};
  return Object.fromEntries(
    Object.entries(contents).map(([key, content]) => [key, content === unknown ? content : remember(content)]),
  );
}

type Declared = Pick<LocalProcessInputs, "directory" | "name" | "files" | "fileModes">;

/**
 * Writes the files that differ from what is declared, and removes those that were declared before and are not now.
 * The others are not touched.
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
    const content = contents.get(digest);
    if (content === undefined) {
      throw new Error(
        `${inputs.name}: ${key}: its content was not checked in this run\nrun \`pulumi up\` again without targets`,
      );
    }
    writeAtomically(path, content, mode);
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

/** Removes all that is on disk of a process that runs no more: files, data and logs, and directories that get empty. */
export function removeProcessFiles(inputs: Pick<LocalProcessInputs, "directory" | "name">): void {
  const { own, log } = processPaths(inputs);
  rmSync(own, { recursive: true, force: true });
  removeLogs(log);
  removeIfEmpty(dirname(log));
  removeIfEmpty(inputs.directory);
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // Others' things are in it, or it is gone.
  }
}

function modeOf({ fileModes }: Declared, key: string): number {
  return parseInt(fileModes?.[key] ?? "600", 8);
}

function permissions(path: string): number {
  return statSync(path).mode & 0o777;
}
