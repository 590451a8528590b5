import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";

/** A script that becomes a program, passing its own arguments on after these. */
export function launcher(...command: readonly string[]): string {
  return `#!/bin/sh\nexec ${command.map(quote).join(" ")} "$@"\n`;
}

/** Writes a script that may be running: the whole new one, or the old one. Leaves an equal one alone. */
export async function writeExecutable(path: string, text: string): Promise<void> {
  if ((await readFile(path, "utf8").catch(() => undefined)) === text) return;
  const made = `${path}.${randomUUID()}`;
  try {
    await writeFile(made, text, { mode: 0o755 });
    await rename(made, path);
  } catch (error) {
    await rm(made, { force: true });
    throw new Error(`${path}: cannot be written: ${(error as Error).message}`, { cause: error });
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
