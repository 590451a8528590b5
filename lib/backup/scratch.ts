import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Name of the directory for a deployment's backups within a scratch directory. */
export const scratchName = (deployment: string): string => `karmada-backup-${deployment}`;

/** Empties a directory but keeps it: its parent may be somebody else's, where it could not be made again. */
export function empty(directory: string): void {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true, force: true });
}
