import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { sha256, sha256OfFile } from "./sha256.ts";

/** How a file is written. */
export interface WriteOptions {
  /**
   * Whether the content has to be on the disk before anybody sees it. @default false: a machine that loses its power may
   * keep an empty file
   */
  readonly flush?: boolean;
}

/**
 * Makes a file have this content and mode, in one step for whoever reads it: a reader sees the old content or the new,
 * also when this program is killed half-way. Directories are made for their owner only.
 *
 * @returns false when it already was so; the file is not touched then, as some programs reload at every change.
 */
export function writeAtomically(
  path: string,
  content: string | Buffer,
  mode = 0o600,
  { flush = false }: WriteOptions = {},
): boolean {
  if (sha256OfFile(path) === sha256(content)) {
    if ((statSync(path).mode & 0o777) === mode) return false;
    chmodSync(path, mode);
    return true;
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.${randomBytes(6).toString("hex")}.new`;
  try {
    writeFileSync(beside, content, { mode, flush });
    // The umask may have taken bits away.
    chmodSync(beside, mode);
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw located(error as NodeJS.ErrnoException, path);
  }
  return true;
}

/** Node.js says of files that are open already, such as those on a full disk, not which they are. */
function located(error: NodeJS.ErrnoException, path: string): Error {
  if (error.path === undefined) error.message += ` '${path}'`;
  return error;
}

/** The parsed content of a JSON file; undefined when there is none, or none that can be read as such. */
export function readJson<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as T;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "ENOTDIR";
}
