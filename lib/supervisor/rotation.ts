import { closeSync, copyFileSync, ftruncateSync, openSync, renameSync, rmSync, statSync } from "node:fs";

export interface RotationLimits {
  /** Bytes a log may have before it is rotated. */
  readonly bytes: number;
  /** Older logs kept, as `<log>.1` (the newest) to `<log>.<generations>`. */
  readonly generations: number;
}

const defaultLimits: RotationLimits = { bytes: 10 * 1024 * 1024, generations: 3 };

/**
 * Rotates a log that has grown too long by copying and truncating it: the program keeps its descriptor, opened for
 * appending, and needs no signal. Lines written between the copy and the truncation, a few milliseconds, are lost.
 */
export function rotate(log: string, { bytes, generations }: RotationLimits = defaultLimits): boolean {
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) < bytes) return false;
  const copy = copyOf(log);
  try {
    copyFileSync(log, copy);
  } catch (error) {
    rmSync(copy, { force: true }); // of a full disk
    throw error;
  }
  for (let generation = generations - 1; generation >= 1; generation--) {
    if (statSync(`${log}.${generation}`, { throwIfNoEntry: false }) !== undefined) {
      renameSync(`${log}.${generation}`, `${log}.${generation + 1}`);
    }
  }
  renameSync(copy, `${log}.1`);
  const descriptor = openSync(log, "r+");
  try {
    ftruncateSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return true;
}

/** Removes a log and its older generations. */
export function removeLogs(log: string, { generations }: RotationLimits = defaultLimits): void {
  for (const path of [log, copyOf(log)]) rmSync(path, { force: true });
  for (let generation = 1; generation <= generations; generation++) rmSync(`${log}.${generation}`, { force: true });
}

/** Being made; older logs move on only for a whole one. */
const copyOf = (log: string): string => `${log}.new`;
