import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Name of the directory of a deployment's backups in one for what is only needed for a while. */
export const scratchName = (deployment: string): string => `karmada-backup-${deployment}`;

/** Removes what is in a directory. Itself it stays: the one above it may be somebody else's, where none can be made anew. */
export function empty(directory: string): void {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true, force: true });
}
