import { describeProbe, probe } from "../../lib/probe.ts";
import { listProcesses } from "../../lib/supervisor/client.ts";
import type { ProcessDescription } from "../../lib/supervisor/description.ts";
import { endOfLog } from "../../lib/supervisor/log-end.ts";
import { adviceOnOpenFiles } from "../../lib/supervisor/open-files.ts";
import type { LocalProcessInputs } from "../local-process.ts";
import { Hopeless, waitForStarted } from "../started-process.ts";

/** Consecutive exits within seconds of a start after which waiting is hopeless: 15 s of trying. */
const hopelessExits = 5;

const askSupervisorMilliseconds = 500;

/**
 * Waits until a started process answers its probe.
 *
 * @throws with the probe's last answer and the last lines of the log, after `startSeconds`, or sooner when the program
 * cannot be executed or ends at once each time it is started.
 */
export async function waitUntilReady(inputs: LocalProcessInputs, description: ProcessDescription): Promise<void> {
  let asked = performance.now();
  const attempt = async (): Promise<void> => {
    try {
      await probe(inputs.probe);
    } catch (error) {
      if (performance.now() - asked > askSupervisorMilliseconds) {
        asked = performance.now();
        await throwIfHopeless(inputs);
      }
      throw error;
    }
    await throwUnlessItsOwn(inputs, description);
  };
  await waitForStarted(
    {
      title: inputs.name,
      awaited: describeProbe(inputs.probe),
      startSeconds: inputs.startSeconds,
      log: () => lastLines(description.log),
    },
    attempt,
    { interval: 25, maxInterval: 100 },
  );
}

async function throwIfHopeless({ directory, name }: LocalProcessInputs): Promise<void> {
  const status = await statusOf(directory, name);
  if (status?.running !== undefined || status?.lastExit === undefined) return;
  if (status.lastExit.notStarted) throw new Hopeless(status.lastExit.reason);
  if (status.quickExits >= hopelessExits) {
    throw new Hopeless(`it ended at once ${status.quickExits} times in a row: ${status.lastExit.reason}`);
  }
}

/** The answer may have come from another program on the same port, while the process itself cannot start. */
async function throwUnlessItsOwn(
  { directory, name }: LocalProcessInputs,
  { revision }: ProcessDescription,
): Promise<void> {
  const status = await statusOf(directory, name);
  if (status?.running?.revision === revision) return;
  throw new Error(`somebody answers, but it does not run: ${status?.lastExit?.reason ?? "not started yet"}`);
}

async function statusOf(directory: string, name: string) {
  return (await listProcesses(directory))?.find(({ description }) => description.name === name);
}

/** The log's path and last lines. */
function lastLines(log: string): string {
  const lines = endOfLog(log);
  if (lines.length === 0) return `\nits log is ${log}`;
  const end = `\nthe end of ${log}:\n${lines.map((line) => `  ${line}`).join("\n")}`;
  const advice = adviceOnOpenFiles(lines);
  return advice === undefined ? end : `${end}\n${advice}`;
}
