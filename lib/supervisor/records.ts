import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "../atomic-file.ts";
import type { ProcessDescription } from "./description.ts";
import { isAlive } from "./identity.ts";
import type { RunningRecord } from "./instance.ts";
import { supervisorLayout } from "./layout.ts";

/** What is noted on disk of a process that runs now; it answers also while no supervisor does. */
export function runningRecord(directory: string, name: string): RunningRecord | undefined {
  const record = readJson<RunningRecord>(join(supervisorLayout(directory).running, `${name}.json`));
  return record !== undefined && isAlive(record.pid, record.start) ? record : undefined;
}

/** The programs that a directory of the layout, if it is there, has a file of; other files are being written. */
export const namesIn = (directory: string): string[] =>
  (existsSync(directory) ? readdirSync(directory) : [])
    .filter((file) => file.endsWith(".json"))
    .map((file) => file.slice(0, -".json".length));

/** What a supervisor was last told to keep running under a name. */
export function wantedDescription(directory: string, name: string): ProcessDescription | undefined {
  return readJson<ProcessDescription>(join(supervisorLayout(directory).wanted, `${name}.json`));
}
