import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** How much of a log is shown. */
export interface Shown {
  /** @default 8 */
  readonly lines?: number;
  /** How much of each line is shown. @default 400 */
  readonly characters?: number;
}

/** How a log ends: its last lines, each shortened. None when it cannot be read. */
export function endOfLog(log: string, { lines = 8, characters = 400 }: Shown = {}): string[] {
  try {
    const descriptor = openSync(log, "r");
    try {
      const size = fstatSync(descriptor).size;
      const buffer = Buffer.alloc(Math.min(size, lines * bytesPerLine));
      readSync(descriptor, buffer, 0, buffer.length, size - buffer.length);
      const all = buffer.toString("utf8").trimEnd().split("\n");
      return all.slice(-lines).map((line) => line.slice(0, characters));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return [];
  }
}

/** More than a line usually has: what is read at once. */
const bytesPerLine = 512;
