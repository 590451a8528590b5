import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readJson, writeAtomically } from "../atomic-file.ts";
import type { ProcessDescription } from "./description.ts";
import { processPaths } from "./process-paths.ts";

/** The file, among a process's own, that a prepared process is written down in. */
export const preparedFile = "prepared.json";

/**
 * Writes down a process that somebody else starts, when its time has come. It lies with the process's files and not with
 * the supervisor's, since a supervisor that has nothing to do ends and leaves nothing.
 */
export function writePrepared(directory: string, description: ProcessDescription): void {
  const path = processPaths({ directory, name: description.name }).file(preparedFile);
  writeAtomically(path, JSON.stringify(description, undefined, 2));
}

/** A prepared process as it is written down now. */
export function readPrepared(directory: string, name: string): ProcessDescription | undefined {
  return readJson<ProcessDescription>(processPaths({ directory, name }).file(preparedFile));
}

/** The names of all processes that are prepared below a directory. */
export function preparedNames(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory).filter((name) => existsSync(join(directory, name, preparedFile)));
}
