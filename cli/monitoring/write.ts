import { mkdir, readdir, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { writeAtomically } from "../../lib/atomic-file.ts";
import { messageOf } from "../../lib/wait.ts";
import { fileNames, hostDirectory, secretFiles } from "./files.ts";

/**
 * Writes a configuration into a directory, each file atomically, and removes what an earlier one had there and this one
 * does not: keys of former hosts. Other files stay. Only this user can read the key.
 *
 * @throws with the directory when it cannot be written to
 */
export async function writeFiles(directory: string, files: ReadonlyMap<string, string>): Promise<void> {
  try {
    for (const [path, text] of files) {
      const file = join(directory, path);
      // World-readable directories: Prometheus runs as another user.
      await mkdir(dirname(file), { recursive: true });
      writeAtomically(file, text, secretFiles.includes(basename(path)) ? 0o600 : 0o644);
    }
    await removeOthers(directory, files);
  } catch (error) {
    throw new Error(
      `${directory}: writing the configuration: ${messageOf(error)}\nname another directory with --output`,
      { cause: error },
    );
  }
}

async function removeOthers(directory: string, files: ReadonlyMap<string, string>): Promise<void> {
  const hosts = await readdir(join(directory, "hosts")).catch(() => []);
  const folders = hosts.map(hostDirectory);
  const possible = ["", ...folders].flatMap((folder) => fileNames.map((name) => join(folder, name)));
  for (const path of possible) if (!files.has(path)) await rm(join(directory, path), { force: true });
  // It stays if others put something there.
  for (const folder of [...folders, "hosts"]) await rmdir(join(directory, folder)).catch(() => {});
}
