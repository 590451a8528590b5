import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Asset } from "../../server/index.ts";
import { globPattern } from "./glob.ts";

/**
 * The files below a directory that the patterns name, by their paths relative to it. Patterns count in their order;
 * one that starts with `!` takes out what those before it put in.
 */
export async function findAssets(dir: string, globs: readonly string[]): Promise<Record<string, Asset>> {
  const rules = globs.map((glob) => ({ excludes: glob.startsWith("!"), pattern: globPattern(glob.replace(/^!/, "")) }));
  const assets: Record<string, Asset> = {};
  for (const path of await filesBelow(dir)) {
    const last = rules.findLast(({ pattern }) => pattern.test(path));
    if (last && !last.excludes) assets[path] = await fileAsset(join(dir, path));
  }
  return assets;
}

async function filesBelow(dir: string, prefix = ""): Promise<string[]> {
  const entries = (await readdir(join(dir, prefix), { withFileTypes: true })).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  const found: string[] = [];
  for (const entry of entries) {
    const path = prefix + entry.name;
    found.push(...(entry.isDirectory() ? await filesBelow(dir, `${path}/`) : [path]));
  }
  return found;
}

async function fileAsset(path: string): Promise<Asset> {
  const hash = createHash("sha256").update(await readFile(path));
  return new Asset({ path }, hash.digest("hex"));
}
