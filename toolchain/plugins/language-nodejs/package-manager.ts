import { access } from "node:fs/promises";
import { constants } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { lockFiles } from "./lock-files.ts";
import type { PackageManager } from "./options.ts";

/** The one the options name, else the one whose lock file lies beside the program or above it, else npm. */
export async function resolvePackageManager(
  option: PackageManager | "auto",
  directory: string,
): Promise<PackageManager> {
  if (option !== "auto") return option;
  if (/^(1|true)$/i.test(process.env["PULUMI_PREFER_YARN"] ?? "") && (await findExecutable("yarn"))) return "yarn";
  for (const manager of ["yarn", "pnpm", "bun"] as const) {
    const locked = await Promise.all(lockFiles[manager].map((file) => searchUp(directory, file)));
    if (locked.some((path) => path !== undefined) && (await findExecutable(manager))) return manager;
  }
  return "npm";
}

/** Path of a file in a directory or the nearest one above it. */
export async function searchUp(directory: string, file: string): Promise<string | undefined> {
  const path = join(directory, file);
  if (
    await access(path).then(
      () => true,
      () => false,
    )
  )
    return path;
  return dirname(directory) === directory ? undefined : searchUp(dirname(directory), file);
}

/** Path of a program on PATH. */
export async function findExecutable(name: string): Promise<string | undefined> {
  for (const directory of (process.env["PATH"] ?? "").split(delimiter).filter(Boolean)) {
    const path = join(directory, name);
    if (
      await access(path, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  return undefined;
}
