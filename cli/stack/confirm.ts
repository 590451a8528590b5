import { createInterface } from "node:readline/promises";

/** Asks for confirmation at a terminal. @throws when there is none, or the signal comes first */
export async function confirmed(question: string, yes: boolean, unless?: AbortSignal): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY) throw new Error(`${question}\nthere is nobody to ask, say so with --yes`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `, { signal: unless })).trim());
  } finally {
    terminal.close();
  }
}
