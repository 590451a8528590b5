import { execFile } from "node:child_process";
import { realpath } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { gte, major, parse } from "semver";
import { hostPlatform } from "../platform.ts";
import { packageVersion } from "../plugins/server/version.ts";
import { findArtifact, storeDirectory } from "../store/store.ts";
import { userHome, userHomeEnvironment } from "./checkout.ts";
import type { Found } from "./found.ts";
import { layOutHome } from "./home.ts";
import { downloadPlugins } from "./plugin-downloads.ts";
import { installedPlugins, isExecutable, pluginDirectory, requiredPlugins, storedPlugins } from "./plugins.ts";

const VERSION_DEADLINE_MS = 20_000;

/** Why Pulumi's own cannot be used, in words, and what of it is missing. */
export interface Lacking {
  readonly lacking: "cli" | "plugins";
  /** Absent when there is nothing to tell: no pulumi is there at all. */
  readonly reason?: string;
}

/**
 * Pulumi's own CLI with its own language host, from PATH or the toolchain, when the plugins are there too, installed or
 * in the toolchain's store, or it can download them.
 */
export async function findOfficial(env: NodeJS.ProcessEnv): Promise<Found | Lacking> {
  const user = await onPath(env);
  const cli = user !== undefined && "path" in user ? user : await inToolchain(env);
  if (cli === undefined) return { lacking: "cli", ...(user !== undefined && { reason: (user as Unfit).reason }) };
  const found = {
    path: cli.path,
    official: true,
    summary: `pulumi ${cli.version} and its official plugins (${cli.path})`,
  };
  const own = { ...found, env: userHomeEnvironment(env), pathEntries: [] };
  const installed = await installedPlugins(userHome(env));
  const missing = requiredPlugins().filter((plugin) => !installed.has(pluginDirectory(plugin)));
  if (missing.length === 0) return own;
  const stored = await storedPlugins(env);
  if (missing.every((plugin) => stored.has(pluginDirectory(plugin)))) {
    return { ...found, ...(await layOutHome(env, new Map([...stored, ...installed]), [])) };
  }
  const reason = await downloadPlugins(cli.path, missing, { ...env, ...own.env });
  if (reason === undefined) return own;
  return { lacking: "plugins", reason: `official plugins cannot be downloaded: ${reason}` };
}

interface Cli {
  readonly path: string;
  readonly version: string;
}

/** A pulumi that cannot be used. */
interface Unfit {
  readonly reason: string;
}

async function onPath(env: NodeJS.ProcessEnv): Promise<Cli | Unfit | undefined> {
  const directories = (env["PATH"] ?? "").split(delimiter).filter(Boolean);
  for (const directory of directories) {
    const path = join(directory, "pulumi");
    if (!(await isExecutable(path))) continue;
    // the pulumi the user would get, whatever comes later on PATH
    if (!(await hasLanguageHost(path, directories)))
      return { reason: `${path} has no pulumi-language-nodejs beside it` };
    const version = await versionOf(path, env);
    if (version === undefined) return { reason: `${path} does not tell its version` };
    return fits(version) ? { path, version } : { reason: `${path} is ${version}, want ${wanted()}` };
  }
  return undefined;
}

async function inToolchain(env: NodeJS.ProcessEnv): Promise<Cli | undefined> {
  const ref = { name: "pulumi", version: packageVersion("@pulumi/pulumi") };
  const artifact = await findArtifact(storeDirectory(env), ref, hostPlatform());
  return artifact && (await hasLanguageHost(artifact.path, [])) ? artifact : undefined;
}

/** As pulumi looks for it: beside itself, then on PATH. */
async function hasLanguageHost(path: string, directories: readonly string[]): Promise<boolean> {
  for (const directory of [dirname(await realpath(path)), ...directories]) {
    if (await isExecutable(join(directory, "pulumi-language-nodejs"))) return true;
  }
  return false;
}

async function versionOf(path: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(path, ["version"], {
      env: { ...env, PULUMI_SKIP_UPDATE_CHECK: "true" },
      timeout: VERSION_DEADLINE_MS,
    });
    return parse(stdout.trim())?.version;
  } catch {
    return undefined; // not a pulumi that runs here
  }
}

const wanted = () => {
  const sdk = packageVersion("@pulumi/pulumi");
  return `${sdk} or later of major version ${major(sdk)}`;
};

/** A CLI may be newer than the SDK, not older and not of another major version. */
function fits(version: string): boolean {
  const sdk = packageVersion("@pulumi/pulumi");
  return gte(version, sdk) && major(version) === major(sdk);
}
