import { readFileSync } from "node:fs";
import { sha256 } from "../toolchain/sha256.ts";

export { sha256 };

/** The digest of a file's content; undefined when there is no such file. */
export function sha256OfFile(path: string): string | undefined {
  try {
    return sha256(readFileSync(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
