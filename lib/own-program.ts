import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** How a program of this project is run. */
export interface OwnProgram {
  /** Absolute path of Node.js. */
  readonly command: string;
  /** What stands before the program's own arguments. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Changes with any source the program may be built from. */
  readonly sha256: string;
  /** Version of this project. */
  readonly version: string;
}

/**
 * The program in a file of the checkout, for instance `lib/backup/main.ts`, run by the Node.js that runs this one.
 * @param stays whether it keeps running, and should save memory rather than time
 */
export function ownProgram(main: string, { stays = true } = {}): OwnProgram {
  return {
    command: process.execPath,
    args: ["--disable-warning=ExperimentalWarning", ...(stays ? smallMemory : quick), join(checkout, main)],
    // Compiling TypeScript costs 17 MB that a process never frees; with a cache only the very first one pays for it.
    env: { NODE_COMPILE_CACHE: join(checkout, "node_modules/.cache/node-compile-cache"), ...givesBack },
    sha256: digestOf(["lib", "spec", "package-lock.json"]),
    version: (JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as { version: string }).version,
  };
}

const checkout = join(import.meta.dirname, "..");

const smallMemory = ["--max-semi-space-size=1", "--optimize-for-size"];
const quick = ["--max-semi-space-size=2"];

/** Makes glibc return large buffers to the system when they are freed, instead of keeping them (mallopt(3)). */
const givesBack = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_TRIM_THRESHOLD_: "131072" };

function digestOf(paths: readonly string[]): string {
  const digest = createHash("sha256").update(process.version);
  for (const file of paths.flatMap(filesBelow)) {
    digest.update(`\0${file}\0`).update(readFileSync(join(checkout, file)));
  }
  return digest.digest("hex");
}

function filesBelow(path: string): string[] {
  if (/\.\w+$/.test(path)) return [path];
  const entries = readdirSync(join(checkout, path), { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(checkout.length + 1))
    .sort();
}
