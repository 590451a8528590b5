import { constants } from "node:fs";
import { copyFile, link, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { install } from "../index.ts";
import { hostPlatform } from "../platform.ts";
import { findArtifact, storeDirectory, type Artifact } from "../store/store.ts";
import type { Progress } from "../progress.ts";
import { packageVersion } from "../plugins/server/version.ts";
import { checkout, userHome } from "./checkout.ts";
import type { Found } from "./found.ts";
import { layOutHome } from "./home.ts";
import { launcher, writeExecutable } from "./launcher.ts";
import { installedPlugins, isExecutable, pluginDirectory, requiredPlugins, storedPlugins } from "./plugins.ts";
import { standInProgram } from "./stand-in-program.ts";

/**
 * The toolchain's pulumi, and whether it was only now put there.
 *
 * @throws when the toolchain cannot obtain it
 */
export async function obtainPulumi(env: NodeJS.ProcessEnv): Promise<{ artifact: Artifact; isNew: boolean }> {
  const ref = { name: "pulumi", version: packageVersion("@pulumi/pulumi") };
  const before = await findArtifact(storeDirectory(env), ref, hostPlatform());
  const [artifact] = await install([ref], { env, onProgress: report() });
  return { artifact: artifact!, isNew: before === undefined };
}

/**
 * A pulumi from the toolchain with stand-ins for what it lacks: the language host beside it, the plugins in a
 * PULUMI_HOME of the checkout. Official plugins come first, those the user has installed and those in the toolchain's
 * store.
 *
 * @param reason why Pulumi's own are not used, if there is something to tell
 */
export async function standIn(env: NodeJS.ProcessEnv, artifact: Artifact, reason?: string): Promise<Found> {
  const ownHost = join(dirname(artifact.path), "pulumi-language-nodejs");
  const officialHost = (await isExecutable(ownHost)) ? ownHost : undefined;
  const path = await layOutCli(artifact.path, artifact.content, officialHost);
  const official = new Map([...(await storedPlugins(env)), ...(await installedPlugins(userHome(env)))]);
  const missing = requiredPlugins().filter((plugin) => !official.has(pluginDirectory(plugin)));
  const standIns = [
    ...(officialHost ? [] : ["language host"]),
    ...missing.map((plugin) => `${plugin.name} ${plugin.version}`),
  ];
  const plugins = standIns.length > 0 ? `this project's stand-ins: ${standIns.join(", ")}` : "its official plugins";
  return {
    path,
    official: false,
    summary: `pulumi ${artifact.version} (from ${artifact.source}) with ${plugins}${reason ? `; ${reason}` : ""}`,
    ...(await layOutHome(env, official, missing)),
  };
}

/** The CLI in a directory of its own, where it looks for the language host and the dynamic provider's starter. */
async function layOutCli(pulumi: string, content: string, officialHost: string | undefined): Promise<string> {
  const directory = join(checkout, ".pulumi", "cli", content.slice(0, 16));
  if (!(await isExecutable(join(directory, "pulumi")))) {
    await mkdir(dirname(directory), { recursive: true });
    const made = await mkdtemp(`${directory}.`);
    const target = join(made, "pulumi");
    try {
      // A link shares the bytes; a copy where the cache is on another file system.
      await link(pulumi, target).catch(() => copyFile(pulumi, target, constants.COPYFILE_FICLONE));
    } catch (error) {
      await rm(made, { recursive: true, force: true });
      throw error;
    }
    await rename(made, directory).catch(() => rm(made, { recursive: true })); // another run was first
  }
  const host = officialHost ? [officialHost] : [process.execPath, await standInProgram("language-nodejs")];
  await writeExecutable(join(directory, "pulumi-language-nodejs"), launcher(...host));
  const dynamic = join(checkout, "toolchain", "plugins", "dynamic", "main.ts");
  await writeExecutable(
    join(directory, "pulumi-resource-pulumi-nodejs"),
    launcher(process.execPath, "--min-semi-space-size=16", dynamic),
  );
  return join(directory, "pulumi");
}

/** Building pulumi takes minutes: says each step once. */
function report(): (progress: Progress) => void {
  let last = "";
  return ({ subject, step, finished }) => {
    if (finished !== "left" && `${subject}: ${step}` !== last) console.error((last = `${subject}: ${step}`));
  };
}
