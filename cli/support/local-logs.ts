import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { listProcesses } from "../../lib/supervisor/client.ts";
import { supervisorLayout } from "../../lib/supervisor/layout.ts";
import { processPaths } from "../../lib/supervisor/process-paths.ts";
import type { ProcessStatus } from "../../lib/supervisor/description.ts";
import type { Source } from "./collect.ts";
import type { Into } from "./parts.ts";
import { mostBytes, Tail } from "./tail.ts";

/**
 * Programs of a deployment on this machine: what its supervisor says of them, and their logs.
 *
 * @param since how many seconds ago a log file must have been written to
 */
export const localParts = (directory: string, since: number): Source => ({
  path: "local/",
  read: async (into) => {
    const logs = join(directory, "logs");
    const names = await readdir(logs);
    const processes = await listProcesses(directory);
    if (processes === undefined)
      into.lacks("local/processes.json", new Error(`${directory}: no supervisor runs there`));
    else await into.put("local/processes.json", processes.map(brief));
    const programs = names.filter((name) => name.endsWith(".log")).map((name) => basename(name, ".log"));
    for (const name of programs) await putLog(into, name, processPaths({ directory, name }).log, since);
    await putLog(into, "supervisor", supervisorLayout(directory).log, since);
  },
});

/** Neither its environment nor its arguments: both may have what nobody else is to see. */
const brief = ({ description, running, crashes, quickExits, lastExit }: ProcessStatus) => ({
  name: description.name,
  program: description.command,
  running,
  crashes,
  quickExits,
  lastExit,
});

async function putLog(into: Into, name: string, log: string, since: number): Promise<void> {
  const path = `local/logs/${name}.log`;
  try {
    const text = await endOf(log, since);
    if (text !== "") await into.put(path, text);
  } catch (error) {
    into.lacks(path, error);
  }
}

/** The end of a log with what was rotated out of it, oldest lines first; empty when nothing was written to it lately. */
export async function endOf(log: string, since: number, most = mostBytes): Promise<string> {
  const files: { readonly file: string; readonly start: number }[] = [];
  let room = most;
  for (let generation = 0; room > 0; generation++) {
    const file = generation === 0 ? log : `${log}.${generation}`;
    const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
    if (found === undefined || found.mtimeMs < Date.now() - since * 1000) break;
    // One byte more, to see where a line begins.
    files.unshift({ file, start: Math.max(0, found.size - room - 1) });
    room -= found.size;
  }
  const tail = new Tail(most);
  for (const { file, start } of files) await pipeline(createReadStream(file, { start }), tail, { end: false });
  return tail.text;
}
