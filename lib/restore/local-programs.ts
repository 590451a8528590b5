import { rmSync } from "node:fs";
import { readJson, writeAtomically } from "../supervisor/atomic-file.ts";
import { ensureProcess, listProcesses, removeProcess } from "../supervisor/client.ts";
import type { ProcessDescription } from "../supervisor/description.ts";
import { processPaths } from "../supervisor/process-paths.ts";
import { runningRecord, wantedDescription } from "../supervisor/records.ts";

/**
 * Ends programs that a supervisor keeps, so that it forgets them: their resources find them missing and start them again.
 * What they were is written down beside their files first, for {@link resumePrograms}.
 */
export async function haltPrograms(directory: string, programs: readonly string[]): Promise<void> {
  await Promise.all(
    (await kept(directory, programs)).map(async (description) => {
      writeAtomically(haltedFile(directory, description.name), JSON.stringify(description));
      await removeProcess(directory, description.name, stopSeconds);
    }),
  );
}

/** Those of the programs that a supervisor keeps, or kept until it was killed: what it started goes on without it. */
async function kept(directory: string, programs: readonly string[]): Promise<ProcessDescription[]> {
  const supervised = await listProcesses(directory);
  if (supervised === undefined) {
    const running = programs.filter((name) => runningRecord(directory, name) !== undefined);
    return running.flatMap((name) => wantedDescription(directory, name) ?? []);
  }
  return supervised.map(({ description }) => description).filter(({ name }) => programs.includes(name));
}

/** Starts again what was halted and nobody has started since, in the order it is given in. */
export async function resumePrograms(directory: string, programs: readonly string[]): Promise<void> {
  const supervised = ((await listProcesses(directory)) ?? []).map(({ description }) => description.name);
  for (const name of programs) {
    const halted = readJson<ProcessDescription>(haltedFile(directory, name));
    if (halted !== undefined && !supervised.includes(name)) await ensureProcess(directory, halted);
    rmSync(haltedFile(directory, name), { force: true });
  }
}

const haltedFile = (directory: string, name: string): string => processPaths({ directory, name }).file("halted.json");

/** They have nothing to put in order: what they know is about to be wrong. */
const stopSeconds = 2;
