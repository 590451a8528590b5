import { execFile } from "node:child_process";
import { realpath } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { gte, major, parse } from "semver";
import { hostPlatform } from "../platform.ts";
import { packageVersion } from "../plugins/server/version.ts";
import { findArtifact, storeDirectory } from "../store/store.ts";
import { userHome } from "./checkout.ts";
import type { Found } from "./environment.ts";
import { layOutHome } from "./home.ts";
import { downloadPlugins } from "./plugin-downloads.ts";
import { installedPlugins, isExecutable, pluginDirectory, requiredPlugins, storedPlugins } from "./plugins.ts";

const VERSION_DEADLINE_MS = 20_000;

/**
 * Pulumi's own CLI with its own language host, from PATH or the toolchain, when the plugins are there too, installed or
 * in the toolchain's store, or it can download them.
 *
 * @returns undefined when something of it cannot be had
 */
export async function findOfficial(env: NodeJS.ProcessEnv): Promise<Found | undefined> {
  const cli = (await onPath(env)) ?? (await inToolchain(env));
  if (cli === undefined) return undefined;
  const found = {
    path: cli.path,
    official: true,
    summary: `pulumi ${cli.version} and its official plugins (${cli.path})`,
  };
  const installed = await installedPlugins(userHome(env));
  const missing = requiredPlugins().filter((plugin) => !installed.has(pluginDirectory(plugin)));
  if (missing.length === 0) return { ...found, env: {}, pathEntries: [] };
  const stored = await storedPlugins(env);
  if (missing.every((plugin) => stored.has(pluginDirectory(plugin)))) {
    return { ...found, ...(await layOutHome(env, new Map([...stored, ...installed]), [])) };
  }
  return (await downloadPlugins(cli.path, missing, env)) ? { ...found, env: {}, pathEntries: [] } : undefined;
}

interface Cli {
  readonly path: string;
  readonly version: string;
}

async function onPath(env: NodeJS.ProcessEnv): Promise<Cli | undefined> {
  const directories = (env["PATH"] ?? "").split(delimiter).filter(Boolean);
  for (const directory of directories) {
    const path = join(directory, "pulumi");
    if (!(await isExecutable(path))) continue;
    if (!(await hasLanguageHost(path, directories))) return undefined; // the pulumi the user would get is not whole
    const version = await versionOf(path, env);
    return version !== undefined && fits(version) ? { path, version } : undefined;
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

/** A CLI may be newer than the SDK, not older and not of another major version. */
function fits(version: string): boolean {
  const sdk = packageVersion("@pulumi/pulumi");
  return gte(version, sdk) && major(version) === major(sdk);
}
