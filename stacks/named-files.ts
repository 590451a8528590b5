import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve as absolute } from "node:path";
import type { Context } from "../spec/context.ts";

/** The directories of kubeconfigs that groups name, by path as typed. */
export function kubeconfigDirectories(
  { memberGroups }: Readonly<Record<string, unknown>>,
  directory: string,
): NonNullable<Context["directories"]> {
  const groups = (Array.isArray(memberGroups) ? memberGroups : []) as ({ directory?: unknown } | null)[];
  const paths = groups.map((group) => group?.directory).filter((path) => typeof path === "string");
  return Object.fromEntries(paths.map((path) => [path, filesIn(path, directory)]));
}

/** The names of a directory's files, sorted, or why it cannot be read. */
export function filesIn(path: string, directory: string): { files: string[] } | { error: string } {
  return reading(path, directory, "directory", (full) => {
    const entries = readdirSync(full, { withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory() && !entry.name.startsWith("."));
    return { files: files.map(({ name }) => name).sort() };
  });
}

/** The content of a file, or why it cannot be read. */
export const fileBytes = (path: string, directory: string): { bytes: Buffer } | { error: string } =>
  reading(path, directory, "file", (full) => ({ bytes: readFileSync(full) }));

/** The text of a file, or why it cannot be read. */
export const fileContent = (path: string, directory: string): { text: string } | { error: string } =>
  reading(path, directory, "file", (full) => ({ text: readFileSync(full, "utf8") }));

/** Where a path leads that is relative to the stack file. */
export const fullPath = (path: string, directory: string): string =>
  path.startsWith("~/") ? join(homedir(), path.slice(2)) : absolute(directory, path);

function reading<T>(path: string, directory: string, what: string, read: (full: string) => T): T | { error: string } {
  const full = fullPath(path, directory);
  try {
    return read(full);
  } catch (error) {
    return { error: `got "${path}", but ${reasonOf((error as NodeJS.ErrnoException).code, what)}: ${full}` };
  }
}

function reasonOf(code: string | undefined, what: string): string {
  switch (code) {
    case "ENOENT":
      return `there is no such ${what}`;
    case "EISDIR":
      return "it is a directory, want a file";
    case "ENOTDIR":
      return what === "directory"
        ? "it is a file, or below one, want a directory"
        : "it is below a file, not a directory";
    case "EACCES":
      return "this user may not read it";
    default:
      return `it cannot be read (${code})`;
  }
}
