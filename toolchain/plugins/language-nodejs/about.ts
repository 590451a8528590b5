import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Options } from "./options.ts";
import { resolvePackageManager } from "./package-manager.ts";

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

async function version(program: string): Promise<string> {
  try {
    return (await promisify(execFile)(program, ["--version"], { timeout: 10_000 })).stdout.trim();
  } catch {
    return "";
  }
}

function typescriptVersion(directory: string): string | undefined {
  try {
    const { version } = createRequire(join(directory, "_"))("typescript/package.json") as { version: string };
    return version;
  } catch {
    return undefined;
  }
}
