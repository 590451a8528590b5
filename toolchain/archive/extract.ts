import { join } from "node:path";
import * as tar from "tar";
import { isFile, unpack } from "./unpack.ts";

/** Whether an address names an archive this can open. */
export const isArchive = (address: string): boolean => /\.(tar\.gz|tgz|tar|tar\.zst)$/.test(address);

/**
 * Unpacks the named members (files, or directories with all below) of a tar archive into a directory.
 * Links are never followed out of it; ownership and special files are left out.
 * @throws when the archive is damaged or a name is missing
 */
export async function extract(archive: string, into: string, names: readonly string[]): Promise<void> {
  const wanted = names.map((name) => name.replace(/\/$/, ""));
  const seen = new Set<string>();
  await unpack(archive, into, {
    filter: (path, entry) => {
      const plain = path.replace(/^\.\//, "").replace(/\/$/, "");
      const name = wanted.find((candidate) => plain === candidate || plain.startsWith(`${candidate}/`));
      const isWanted = isFile(entry as tar.ReadEntry) || (entry as tar.ReadEntry).type === "Directory";
      if (name === undefined || !isWanted) return false;
      seen.add(name);
      return true;
    },
  });
  const missing = wanted.filter((name) => !seen.has(name));
  if (missing.length > 0) throw new Error(`the archive has no ${missing.join(", ")}`);
}

/** Like `extract`, for names that may be missing. @returns the paths of those that were there */
export async function extractOptional(archive: string, into: string, names: readonly string[]): Promise<string[]> {
  const there: string[] = [];
  await tar.t({ file: archive, onReadEntry: (entry) => void there.push(entry.path.replace(/^\.\//, "")) });
  const found = names.filter((name) => there.includes(name));
  await extract(archive, into, found);
  return found.map((name) => join(into, name));
}
