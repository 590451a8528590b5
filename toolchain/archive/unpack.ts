import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { types } from "node:util";
import * as tar from "tar";

export interface UnpackOptions {
  /** Which entries are wanted. @default all */
  readonly filter?: (path: string, entry: Stats | tar.ReadEntry) => boolean;
  /** Called as each entry begins. */
  readonly onReadEntry?: (entry: tar.ReadEntry) => void;
}

/** Remarks of the tar reader that do not mean damage. */
const harmless = ["TAR_ENTRY_INFO", "TAR_ENTRY_UNSUPPORTED"];

/**
 * Unpacks a tar archive, compressed or not, to its end, and only then throws what was wrong with it: nothing is being
 * written any more when it returns.
 * @throws with the system's code where it refused something, else with the tar reader's
 */
export async function unpack(file: string, into: string, options: UnpackOptions = {}): Promise<void> {
  let problem: Error | undefined;
  const sizes = new Map<string, number>();
  await tar.x({
    ...options,
    onReadEntry: (entry) => {
      if (isFile(entry)) sizes.set(entry.path, entry.size);
      options.onReadEntry?.(entry);
    },
    file,
    cwd: into,
    preserveOwner: false,
    onwarn: (code, message, data) => {
      if (harmless.includes(code)) return;
      // What the system refused comes as the reader's TAR_ENTRY_ERROR, and beside it the system's own error.
      const own = [data, message].find((each) => types.isNativeError(each)) as Error | undefined;
      problem ??= own ?? Object.assign(new Error(String(message)), { code });
    },
  });
  if (problem) throw problem;
  await proveWhole(into, sizes);
}

/** Whether an entry has content of its own. */
export const isFile = ({ type }: Pick<tar.ReadEntry, "type">): boolean =>
  ["File", "OldFile", "ContiguousFile"].includes(type);

/** A disk that is filled by a file's last write takes a part of it, which the tar reader's writer passes over. */
async function proveWhole(into: string, sizes: ReadonlyMap<string, number>): Promise<void> {
  for (const [path, size] of sizes) {
    const written = await stat(join(into, path));
    if (written.size === size) continue;
    const reason = `ENOSPC: no space left on device, ${written.size} of ${size} bytes of ${path} were written`;
    throw Object.assign(new Error(reason), { code: "ENOSPC" });
  }
}
