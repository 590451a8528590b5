import { access, constants, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hostPlatform } from "../platform.ts";
import { packageVersion } from "../plugins/server/version.ts";
import { findArtifact, storeDirectory } from "../store/store.ts";

/** A plugin the project's programs need, for which the toolchain has a stand-in. */
export interface Plugin {
  readonly name: string;
  /** That of the npm package `@pulumi/<name>`: the engine asks for exactly this one. */
  readonly version: string;
}

/** Folder of toolchain/plugins and npm package alike. */
const names = ["command", "kubernetes", "random", "tls"];

export function requiredPlugins(): Plugin[] {
  return names.map((name) => ({
    name,
    version: packageVersion(`@pulumi/${name}`),
  }));
}

/** Name of a plugin's directory in `$PULUMI_HOME/plugins`. */
export function pluginDirectory({ name, version }: Pick<Plugin, "name" | "version">): string {
  return `resource-${name}-v${version}`;
}

/** The plugin directories of a PULUMI_HOME that are whole; one being downloaded has a `.partial` beside it. */
export async function installedPlugins(home: string): Promise<Map<string, string>> {
  const directory = join(home, "plugins");
  const entries = new Set(await readdir(directory).catch(() => []));
  const whole = new Map<string, string>();
  for (const entry of entries) {
    const [kind, name] = /^(\w+)-(.+)-v\d/.exec(entry)?.slice(1) ?? [];
    if (kind === undefined || entries.has(`${entry}.partial`)) continue;
    const path = join(directory, entry);
    if (await isExecutable(join(path, `pulumi-${kind}-${name}`))) whole.set(entry, path);
  }
  return whole;
}

/** Official plugins in the toolchain's store, for instance from a bundle, by the directory names a PULUMI_HOME has. */
export async function storedPlugins(env: NodeJS.ProcessEnv): Promise<Map<string, string>> {
  const stored = new Map<string, string>();
  for (const plugin of requiredPlugins()) {
    const ref = { name: `pulumi-resource-${plugin.name}`, version: plugin.version };
    const artifact = await findArtifact(storeDirectory(env), ref, hostPlatform());
    if (artifact) stored.set(pluginDirectory(plugin), dirname(artifact.path));
  }
  return stored;
}

export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
