import { constants } from "node:fs";
import { copyFile, link, mkdir, mkdtemp, readlink, rename, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { install } from "../index.ts";
import type { Progress } from "../progress.ts";
import { packageVersion } from "../plugins/server/version.ts";
import { checkout, standInHome, userHome } from "./checkout.ts";
import type { Found } from "./environment.ts";
import { launcher, writeExecutable } from "./launcher.ts";
import { installedPlugins, isExecutable, pluginDirectory, requiredPlugins, storedPlugins } from "./plugins.ts";
import type { Plugin } from "./plugins.ts";

/**
 * A pulumi from the toolchain with stand-ins for what it lacks: the language host beside it, the plugins in a
 * PULUMI_HOME of the checkout. Official plugins come first, those the user has installed and those in the toolchain's
 * store; the user's home is never written to.
 *
 * @throws when the toolchain cannot obtain pulumi
 */
export async function standIn(env: NodeJS.ProcessEnv): Promise<Found> {
  const version = packageVersion("@pulumi/pulumi");
  const [artifact] = await install([{ name: "pulumi", version }], { env, onProgress: report() });
  const ownHost = join(dirname(artifact!.path), "pulumi-language-nodejs");
  const officialHost = (await isExecutable(ownHost)) ? ownHost : undefined;
  const path = await layOutCli(artifact!.path, artifact!.content, officialHost);
  const home = standInHome;
  const user = userHome(env);
  const official = new Map([...(await storedPlugins(env)), ...(await installedPlugins(user))]);
  const missing = requiredPlugins().filter((plugin) => !official.has(pluginDirectory(plugin)));
  await layOutPlugins(home, official, missing);
  const standIns = [
    ...(officialHost ? [] : ["language host"]),
    ...missing.map((plugin) => `${plugin.name} ${plugin.version}`),
  ];
  const plugins = standIns.length > 0 ? `this project's stand-ins: ${standIns.join(", ")}` : "its official plugins";
  return {
    path,
    official: false,
    summary: `pulumi ${version} (from ${artifact!.source}) with ${plugins}`,
    env: {
      PULUMI_HOME: home,
      PULUMI_CREDENTIALS_PATH: user,
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DISABLE_REGISTRY_RESOLVE: "true",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    },
    // A home the user names is left as it is; its pulumi finds the stand-ins on PATH, and says so.
    pathEntries:
      user === env["PULUMI_HOME"] ? missing.map((plugin) => join(home, "plugins", pluginDirectory(plugin))) : [],
  };
}

/** The CLI in a directory of its own, where it looks for the language host and the dynamic provider's starter. */
async function layOutCli(pulumi: string, content: string, officialHost: string | undefined): Promise<string> {
  const directory = join(checkout, ".pulumi", "cli", content.slice(0, 16));
  if (!(await isExecutable(join(directory, "pulumi")))) {
    await mkdir(dirname(directory), { recursive: true });
    const made = await mkdtemp(`${directory}.`);
    const target = join(made, "pulumi");
    // A link shares the bytes; a copy where the cache is on another file system.
    await link(pulumi, target).catch(() => copyFile(pulumi, target, constants.COPYFILE_FICLONE));
    await rename(made, directory).catch(() => rm(made, { recursive: true })); // another run was first
  }
  const host = join(checkout, "toolchain", "plugins", "language-nodejs", "main.ts");
  await writeExecutable(
    join(directory, "pulumi-language-nodejs"),
    officialHost ? launcher(officialHost) : launcher(process.execPath, host),
  );
  const dynamic = join(checkout, "toolchain", "plugins", "dynamic", "main.ts");
  await writeExecutable(join(directory, "pulumi-resource-pulumi-nodejs"), launcher(process.execPath, dynamic));
  return join(directory, "pulumi");
}

async function layOutPlugins(
  home: string,
  official: ReadonlyMap<string, string>,
  missing: readonly Plugin[],
): Promise<void> {
  await mkdir(join(home, "plugins"), { recursive: true });
  for (const [name, path] of official) {
    if (!path.startsWith(home)) await linkDirectory(path, join(home, "plugins", name));
  }
  for (const plugin of missing) {
    const directory = join(home, "plugins", pluginDirectory(plugin));
    await rm(directory).catch(() => {}); // a link to an official one that has been removed since
    await mkdir(directory, { recursive: true });
    // compiled once and with a small nursery, a plugin takes 30 to 60 MB less
    const cache = `NODE_COMPILE_CACHE=${join(home, "compiled")}`;
    const command = launcher("env", cache, process.execPath, "--max-semi-space-size=2", plugin.main);
    await writeExecutable(join(directory, `pulumi-resource-${plugin.name}`), command);
  }
}

async function linkDirectory(target: string, path: string): Promise<void> {
  if ((await readlink(path).catch(() => undefined)) === target) return;
  await rm(path, { recursive: true, force: true });
  await symlink(target, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error; // another run was first
  });
}

/** Building pulumi takes minutes: says each step once. */
function report(): (progress: Progress) => void {
  let last = "";
  return ({ subject, step, finished }) => {
    if (finished !== "left" && `${subject}: ${step}` !== last) console.error((last = `${subject}: ${step}`));
  };
}
