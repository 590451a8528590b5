import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
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

/**
 * Every installed package below the program directory that says `"pulumi": { "resource": true }`. It looks at some thousand
 * files, and nothing else is to be done meanwhile: asked for one after another they are there in a third of the time.
 */
export function requiredPackages(programDirectory: string): RequiredPackage[] {
  const found: RequiredPackage[] = [];
  searchDirectory(realpathSync(programDirectory), new Set(), found);
  return found;
}

/** A directory of the program: node_modules may be at any depth, but not in a policy pack, which has its own. */
function searchDirectory(
  directory: string,
  seen: Set<string>,
  found: RequiredPackage[],
  entries = list(directory),
): void {
  if (seen.has(directory)) return;
  seen.add(directory);
  for (const entry of entries) {
    const path = directoryPath(directory, entry);
    if (path === undefined || entry.name === ".git") continue;
    if (entry.name === "node_modules") {
      searchPackages(path, seen, found);
      continue;
    }
    const below = list(path);
    if (!isPolicyPack(below)) searchDirectory(path, seen, found, below);
  }
}

/** A node_modules directory, or a scope (`@pulumi`) or store (`.pnpm`) inside one. */
function searchPackages(directory: string, seen: Set<string>, found: RequiredPackage[]): void {
  if (seen.has(directory)) return;
  seen.add(directory);
  for (const entry of list(directory)) {
    const path = directoryPath(directory, entry);
    if (path === undefined || entry.name === ".bin") continue;
    if (entry.name.startsWith("@") || entry.name === ".pnpm") {
      searchPackages(path, seen, found);
      continue;
    }
    if (seen.has(path)) continue;
    seen.add(path);
    const required = readPackage(join(path, "package.json"));
    if (required) found.push(required);
    searchPackages(join(path, "node_modules"), seen, found);
  }
}

function list(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return []; // gone meanwhile or not ours to read: nothing of the program's
  }
}

/** Its real path when it is a directory or a link to one. */
function directoryPath(parent: string, entry: Dirent): string | undefined {
  const path = join(parent, entry.name);
  if (entry.isDirectory()) return path;
  if (!entry.isSymbolicLink()) return undefined;
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined; // a link to nothing
  }
}

const isPolicyPack = (entries: readonly Dirent[]): boolean =>
  entries.some(({ name }) => /^PulumiPolicy\.(yaml|yml|json)$/.test(name));

function readPackage(path: string): RequiredPackage | undefined {
  try {
    const { name, version, pulumi } = JSON.parse(readFileSync(path, "utf8")) as PackageJson;
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
