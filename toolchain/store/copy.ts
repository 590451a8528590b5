import { constants } from "node:fs";
import { chmod, copyFile, cp, mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Copies named files, and directories (names ending in `/`) with everything below, from one place to another.
 * @throws when one is missing
 */
export async function copyEntries(from: string, to: string, entries: readonly string[]): Promise<void> {
  for (const entry of entries) {
    const target = join(to, entry);
    await mkdir(dirname(target), { recursive: true });
    await cp(join(from, entry), target, { recursive: entry.endsWith("/"), errorOnExist: true, force: false });
  }
  // Go's module cache is read-only, and this copy is to be moved and removed.
  for (const entry of await readdir(to, { recursive: true, withFileTypes: true })) {
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  }
}

/** Copies an executable, sharing blocks where the file system can. */
export async function copyExecutable(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await chmod(to, 0o755);
}
