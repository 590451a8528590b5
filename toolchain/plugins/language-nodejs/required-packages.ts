import { readdir, readFile, realpath, stat } from "node:fs/promises";
import type { Dirent } from "node:fs";
import { join } from "node:path";

/** A plugin the program's packages declare; the engine asks for exactly this version. */
export interface RequiredPackage {
  readonly name: string;
  /** With a leading v. */
  readonly version: string;
  /** Where to download it, when the package says. */
  readonly server: string;
  readonly parameterization: { name: string; version: string; value: string } | undefined;
}

/** Every installed package below the program directory that says `"pulumi": { "resource": true }`. */
export async function requiredPackages(programDirectory: string): Promise<RequiredPackage[]> {
  const found: RequiredPackage[] = [];
  await searchDirectory(await realpath(programDirectory), new Set(), found);
  return found;
}

/** A directory of the program: node_modules may be at any depth, but not in a policy pack, which has its own. */
async function searchDirectory(directory: string, seen: Set<string>, found: RequiredPackage[]): Promise<void> {
  if (seen.has(directory)) return;
  seen.add(directory);
  const entries = await list(directory);
  await Promise.all(
    entries.map(async (entry) => {
      const path = await directoryPath(directory, entry);
      if (path === undefined || entry.name === ".git") return;
      if (entry.name === "node_modules") return searchPackages(path, seen, found);
      if (!(await isPolicyPack(path))) await searchDirectory(path, seen, found);
    }),
  );
}

/** A node_modules directory, or a scope (`@pulumi`) or store (`.pnpm`) inside one. */
async function searchPackages(directory: string, seen: Set<string>, found: RequiredPackage[]): Promise<void> {
  if (seen.has(directory)) return;
  seen.add(directory);
  await Promise.all(
    (await list(directory)).map(async (entry) => {
      const path = await directoryPath(directory, entry);
      if (path === undefined || entry.name === ".bin") return;
      if (entry.name.startsWith("@") || entry.name === ".pnpm") return searchPackages(path, seen, found);
      if (seen.has(path)) return;
      seen.add(path);
      const required = await readPackage(join(path, "package.json"));
      if (required) found.push(required);
      await searchPackages(join(path, "node_modules"), seen, found);
    }),
  );
}

async function list(directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch {
    return []; // gone meanwhile or not ours to read: nothing of the program's
  }
}

/** Its real path when it is a directory or a link to one. */
async function directoryPath(parent: string, entry: Dirent): Promise<string | undefined> {
  const path = join(parent, entry.name);
  if (entry.isDirectory()) return path;
  if (!entry.isSymbolicLink()) return undefined;
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch {
    return undefined; // a link to nothing
  }
}

async function isPolicyPack(directory: string): Promise<boolean> {
  return (await list(directory)).some(({ name }) => /^PulumiPolicy\.(yaml|yml|json)$/.test(name));
}

async function readPackage(path: string): Promise<RequiredPackage | undefined> {
  try {
    const { name, version, pulumi } = JSON.parse(await readFile(path, "utf8")) as PackageJson;
    if (pulumi?.resource !== true) return undefined;
    const plugin = pulumi.name ?? /^@pulumi\/(.+)$/.exec(name ?? "")?.[1];
    const pluginVersion = pulumi.version || version;
    if (!plugin || !pluginVersion) return undefined;
    return {
      name: plugin,
      version: pluginVersion.startsWith("v") ? pluginVersion : `v${pluginVersion}`,
      server: pulumi.server ?? "",
      parameterization: pulumi.parameterization,
    };
  } catch {
    return undefined; // no package.json, or not one that says anything
  }
}

interface PackageJson {
  name?: string;
  version?: string;
  pulumi?: {
    resource?: boolean;
    name?: string;
    version?: string;
    server?: string;
    parameterization?: RequiredPackage["parameterization"];
  };
}
