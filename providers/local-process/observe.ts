import { readFileSync } from "node:fs";
import { listProcesses } from "../../lib/supervisor/client.ts";
import type { ProcessStatus } from "../../lib/supervisor/description.ts";
import type { LocalProcessInputs, LocalProcessOutputs } from "../local-process.ts";
import { fileDrift, filesAsTheyAre } from "./files.ts";

/** What was found, compared with what was declared. */
export interface Observed {
  readonly files: Record<string, string>;
  /** A sentence for each difference. A program that crashed and was restarted is none. */
  readonly drift: string[];
}

type State = LocalProcessInputs & Partial<LocalProcessOutputs>;

/** Looks at a process without changing anything: some file reads and one question to the supervisor for all processes. */
export async function observe(state: State): Promise<Observed> {
  const files = filesAsTheyAre(state);
  const drift = fileDrift(state, files);
  const statuses = await statusesOf(state.directory);
  if (statuses === undefined) return { files, drift: [...drift, "its supervisor does not run"] };
  const status = statuses.find(({ description }) => description.name === state.name);
  return { files, drift: [...drift, ...processDrift(state, status)] };
}

function processDrift(state: State, status: ProcessStatus | undefined): string[] {
  if (status === undefined) return ["its supervisor does not know it"];
  if (status.running === undefined) {
    return [`it does not run${status.lastExit === undefined ? "" : `: ${status.lastExit.reason}`}`];
  }
  const { description, running } = status;
  if (JSON.stringify([description.command, description.args]) !== JSON.stringify([state.program, state.args])) {
    return ["its supervisor was told other arguments"];
  }
  if (running.revision !== description.revision) return ["it runs with older settings"];
  const line = commandLine(running.pid);
  if (line !== undefined && JSON.stringify(line.slice(1)) !== JSON.stringify(state.args)) {
    return ["it runs with other arguments"];
  }
  return [];
}

/** Undefined where it cannot be read exactly: darwin's ps(1) joins the arguments. */
function commandLine(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  } catch {
    return undefined;
  }
}

const asked = new Map<string, Promise<readonly ProcessStatus[] | undefined>>();

/** One question per directory for all concurrent calls. */
function statusesOf(directory: string): Promise<readonly ProcessStatus[] | undefined> {
  const answer = asked.get(directory) ?? listProcesses(directory);
  asked.set(directory, answer);
  void answer.finally(() => asked.delete(directory)).catch(() => undefined);
  return answer;
}
