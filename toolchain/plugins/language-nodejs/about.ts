import { execFile } from "node:child_process";
import { readFile, realpath } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Options } from "./options.ts";
import { findExecutable, resolvePackageManager, searchUp } from "./package-manager.ts";

/** What `pulumi about` says of the runtime; a version that cannot be told is left empty. */
export async function about(options: Options, directory: string) {
  const packagemanager = await resolvePackageManager(options.packagemanager, directory);
  const typescript = typescriptVersion(directory);
  return {
    executable: process.execPath,
    version: process.version,
    metadata: {
      packagemanager,
      packagemanagerVersion: await version(packagemanager),
      ...(typescript && { typescriptVersion: typescript }),
    },
  };
}

/** Of its package where it is one: to start npm takes a quarter of a second, and the engine asks before every run. */
async function version(program: string): Promise<string> {
  try {
    return (await installedVersion(program)) ?? (await printedVersion(program));
  } catch {
    return "";
  }
}

async function installedVersion(program: string): Promise<string | undefined> {
  const executable = await findExecutable(program);
  const path = executable && (await searchUp(await realpath(executable), "package.json"));
  if (!path) return undefined;
  const { name, version } = JSON.parse(await readFile(path, "utf8")) as { name?: string; version?: string };
  return name === program ? version : undefined;
}

async function printedVersion(program: string): Promise<string> {
  return (await promisify(execFile)(program, ["--version"], { timeout: 10_000 })).stdout.trim();
}

function typescriptVersion(directory: string): string | undefined {
  try {
    const { version } = createRequire(join(directory, "_"))("typescript/package.json") as { version: string };
    return version;
  } catch {
    return undefined;
  }
}
