import { listProcesses, removeProcess } from "../supervisor/client.ts";

/** Ends programs that a supervisor keeps, so that it forgets them: their resources find them missing and start them again. */
export async function haltPrograms(directory: string, programs: readonly string[]): Promise<void> {
  const supervised = (await listProcesses(directory)) ?? [];
  const there = supervised.map(({ description }) => description.name).filter((name) => programs.includes(name));
  await Promise.all(there.map((name) => removeProcess(directory, name, stopSeconds)));
}

/** They have nothing to put in order: what they know is about to be wrong. */
const stopSeconds = 2;
