import { rmSync } from "node:fs";
import { readJson, writeAtomically } from "../../atomic-file.ts";
import { ensureProcess, listProcesses, removeProcess } from "../../supervisor/client.ts";
import type { ProcessDescription } from "../../supervisor/description.ts";
import { processPaths } from "../../supervisor/process-paths.ts";
import { runningRecord, wantedDescription } from "../../supervisor/records.ts";

/**
 * Stops programs of a supervisor, so that it forgets them: their resources find them missing and start them again.
 * Their descriptions are written beside their files first, for {@link resumePrograms}.
 */
export async function haltPrograms(directory: string, programs: readonly string[]): Promise<void> {
  await Promise.all(
    (await kept(directory, programs)).map(async (description) => {
      writeAtomically(haltedFile(directory, description.name), JSON.stringify(description));
      await removeProcess(directory, description.name, stopSeconds);
    }),
  );
}

/** The programs that a supervisor runs, or ran until it was killed: what it started keeps running without it. */
async function kept(directory: string, programs: readonly string[]): Promise<ProcessDescription[]> {
  const supervised = await listProcesses(directory);
  if (supervised === undefined) {
    const running = programs.filter((name) => runningRecord(directory, name) !== undefined);
    return running.flatMap((name) => wantedDescription(directory, name) ?? []);
  }
  return supervised.map(({ description }) => description).filter(({ name }) => programs.includes(name));
}

/** Starts what was halted and has not been started since, in the given order. */
export async function resumePrograms(directory: string, programs: readonly string[]): Promise<void> {
  const supervised = ((await listProcesses(directory)) ?? []).map(({ description }) => description.name);
  for (const name of programs) {
    const halted = readJson<ProcessDescription>(haltedFile(directory, name));
    if (halted !== undefined && !supervised.includes(name)) await ensureProcess(directory, halted);
    rmSync(haltedFile(directory, name), { force: true });
  }
}

const haltedFile = (directory: string, name: string): string => processPaths({ directory, name }).file("halted.json");

/** They need no time to tidy up: what they know is about to be wrong. */
const stopSeconds = 2;
