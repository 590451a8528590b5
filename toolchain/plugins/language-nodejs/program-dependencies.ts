import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { searchUp } from "./package-manager.ts";

/**
 * The program's npm packages with their versions, from package-lock.json.
 *
 * @param transitive also those the program does not name itself
 */
export async function programDependencies(
  directory: string,
  transitive: boolean,
): Promise<{ name: string; version: string }[]> {
  const path = await searchUp(directory, "package-lock.json");
  if (path === undefined) throw new Error(`no package-lock.json found (searching upwards from ${directory})`);
  const { packages = {} } = JSON.parse(await readFile(path, "utf8")) as {
    packages?: Record<string, { version?: string }>;
  };
  const installed = Object.entries(packages).flatMap(([place, { version = "" }]) => {
    const name = place.split("node_modules/").at(-1) ?? "";
    return place === "" ? [] : [{ name, version }];
  });
  if (transitive) return installed;
  const declared = await declaredNames(dirname(path));
  return installed.filter(({ name }) => declared.delete(name));
}

async function declaredNames(directory: string): Promise<Set<string>> {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    await readFile(join(directory, "package.json"), "utf8"),
  ) as { dependencies?: object; devDependencies?: object };
  return new Set([...Object.keys(dependencies), ...Object.keys(devDependencies)]);
}
