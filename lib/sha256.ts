import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** In hexadecimal digits. */
export const sha256 = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");

/** The digest of a file's content; undefined when there is no such file. */
export function sha256OfFile(path: string): string | undefined {
  try {
    return sha256(readFileSync(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
