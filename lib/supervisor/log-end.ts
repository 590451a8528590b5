import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const shownBytes = 4096;
const shownCharacters = 400;

/** How a log ends: its last lines, each shortened. None when it cannot be read. */
export function endOfLog(log: string, lines = 8): string[] {
  try {
    const descriptor = openSync(log, "r");
    try {
      const size = fstatSync(descriptor).size;
      const buffer = Buffer.alloc(Math.min(size, shownBytes));
      readSync(descriptor, buffer, 0, buffer.length, size - buffer.length);
      const all = buffer.toString("utf8").trimEnd().split("\n");
      return all.slice(-lines).map((line) => line.slice(0, shownCharacters));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return [];
  }
}
