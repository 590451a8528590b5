import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { lockedPackages, lockFiles, type Locked } from "./lock-files.ts";
import type { Options } from "./options.ts";
import { resolvePackageManager, searchUp } from "./package-manager.ts";

/**
 * The program's npm packages with their versions, from the lock file of its package manager.
 *
 * @param transitive also those the program does not name itself
 */
export async function programDependencies(
  packagemanager: Options["packagemanager"],
  directory: string,
  transitive: boolean,
): Promise<Locked[]> {
  const path = await findLockFile(await resolvePackageManager(packagemanager, directory), directory);
  const locked = lockedPackages(basename(path), (await readFile(path, "utf8")).replaceAll("\r\n", "\n"));
  if (transitive) return locked;
  const declared = await declaredNames(dirname(path));
  return locked.filter(({ name }) => declared.delete(name));
}

async function findLockFile(manager: keyof typeof lockFiles, directory: string): Promise<string> {
  for (const file of lockFiles[manager]) {
    const path = await searchUp(directory, file);
    if (path !== undefined) return path;
  }
  const file = manager === "bun" ? "bun lock file" : lockFiles[manager][0];
  throw new Error(`failed to get node dependencies: no ${file} found (searching upwards from ${directory})`);
}

async function declaredNames(directory: string): Promise<Set<string>> {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    await readFile(join(directory, "package.json"), "utf8"),
  ) as { dependencies?: object; devDependencies?: object };
  return new Set([...Object.keys(dependencies), ...Object.keys(devDependencies)]);
}
