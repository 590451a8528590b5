import { rmdirSync } from "node:fs";

/** Removes a directory unless something is in it, or it is gone. */
export function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // It holds things of others, or is gone.
  }
}
