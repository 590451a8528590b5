import { existsSync } from "node:fs";
import { mkdir, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { writeAtomically } from "../../lib/atomic-file.ts";
import { messageOf } from "../../lib/wait.ts";
import { secretFiles } from "./files.ts";
import { listFile, noteWritten, writtenBefore } from "./written.ts";

/**
 * Writes a configuration into a directory, each file atomically, and removes what an earlier one had there and this one
 * does not: keys of former hosts. Files of others stay as they are. Only this user can read the key.
 *
 * @throws with the directory when it cannot be written to, or when files of others are in the way
 */
export async function writeFiles(directory: string, files: ReadonlyMap<string, string>): Promise<void> {
  try {
    const before = await writtenBefore(directory);
    refuseOthers(directory, files, before);
    await noteWritten(directory, [...before, ...files.keys()]);
    for (const [path, text] of files) {
      const file = join(directory, path);
      // World-readable directories: Prometheus runs as another user.
      await mkdir(dirname(file), { recursive: true });
      writeAtomically(file, text, secretFiles.includes(basename(path)) ? 0o600 : 0o644);
    }
    for (const path of before) if (!files.has(path)) await remove(directory, path);
    await noteWritten(directory, files.keys());
  } catch (error) {
    throw new Error(
      `${directory}: writing the configuration: ${messageOf(error)}\nname another directory with --output`,
      { cause: error },
    );
  }
}

function refuseOthers(directory: string, files: ReadonlyMap<string, string>, before: readonly string[]): void {
  const others = [...files.keys()].filter((path) => !before.includes(path) && existsSync(join(directory, path)));
  if (others.length === 0) return;
  throw new Error(
    `${others.join(", ")}: there already, and ${listFile} does not say that an earlier run has written it\n` +
      "delete what an earlier release may have written there, or move away what is somebody else's",
  );
}

/** With the directories it was in, which stay if others put something there. */
async function remove(directory: string, path: string): Promise<void> {
  await rm(join(directory, path), { force: true });
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder))
    await rmdir(join(directory, folder)).catch(() => {});
}
