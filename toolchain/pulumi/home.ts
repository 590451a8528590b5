import { mkdir, mkdtemp, readdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { standInHome, userHome } from "./checkout.ts";
import type { Found } from "./found.ts";
import { launcher, writeExecutable } from "./launcher.ts";
import { pluginDirectory, type Plugin } from "./plugins.ts";
import { standInProgram } from "./stand-in-program.ts";

/**
 * Lays out a PULUMI_HOME of the checkout: links to what official plugins are, stand-ins for the missing ones. The user's own
 * home is never written to.
 *
 * @param official directories by name, for instance `resource-tls-v5.5.1`
 * @returns what makes pulumi use it
 */
export async function layOutHome(
  env: NodeJS.ProcessEnv,
  official: ReadonlyMap<string, string>,
  missing: readonly Plugin[],
): Promise<Pick<Found, "env" | "pathEntries">> {
  await mkdir(join(standInHome, "plugins"), { recursive: true });
  for (const [name, path] of official) {
    if (!path.startsWith(standInHome)) await linkEntries(path, join(standInHome, "plugins", name));
  }
  await Promise.all(missing.map(layOutStandIn));
  const user = userHome(env);
  const added = [
    ...[...official].filter(([, path]) => !path.startsWith(join(user, "plugins"))).map(([name]) => name),
    ...missing.map(pluginDirectory),
  ];
  return {
    env: {
      PULUMI_HOME: standInHome,
      PULUMI_CREDENTIALS_PATH: user,
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DISABLE_REGISTRY_RESOLVE: "true",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    },
    // A home the user names is left as it is; its pulumi finds what it lacks on PATH, and says so.
    pathEntries: user === env["PULUMI_HOME"] ? added.map((name) => join(standInHome, "plugins", name)) : [],
  };
}

async function layOutStandIn(plugin: Plugin): Promise<void> {
  const directory = join(standInHome, "plugins", pluginDirectory(plugin));
  await rm(directory).catch(() => {}); // a link, as earlier versions made for an official one
  await mkdir(directory, { recursive: true });
  const program = await standInProgram(plugin.name);
  // compiled once and with a small nursery, a plugin takes 30 to 60 MB less
  const cache = `NODE_COMPILE_CACHE=${join(standInHome, "compiled")}`;
  const command = launcher("env", cache, process.execPath, "--max-semi-space-size=2", program);
  await writeExecutable(join(directory, `pulumi-resource-${plugin.name}`), command);
}

/** Makes a directory of links to all that another has: pulumi passes over a plugin whose directory is a link itself. */
async function linkEntries(target: string, path: string): Promise<void> {
  const entries = await readdir(target);
  const linked = await Promise.all(entries.map((entry) => readlink(join(path, entry)).catch(() => undefined)));
  if (linked.every((link, i) => link === join(target, entries[i]!))) return;
  const made = await mkdtemp(`${path}.tmp`);
  await Promise.all(entries.map((entry) => symlink(join(target, entry), join(made, entry))));
  await rm(path, { recursive: true, force: true });
  await rename(made, path).catch(() => rm(made, { recursive: true })); // another run was first
}
