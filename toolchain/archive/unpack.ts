import type { Stats } from "node:fs";
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
 * @throws with the tar reader's code
 */
export async function unpack(file: string, into: string, options: UnpackOptions = {}): Promise<void> {
  let problem: Error | undefined;
  await tar.x({
    ...options,
    file,
    cwd: into,
    preserveOwner: false,
    onwarn: (code, message) => {
      if (!harmless.includes(code)) problem ??= Object.assign(new Error(String(message)), { code });
    },
  });
  if (problem) throw problem;
}
