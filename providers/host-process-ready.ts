import { observeComing, observeRunning, observeUnlessRuns, type RunningProcess } from "../lib/hosts/found.ts";
import type { Host } from "../lib/hosts/host.ts";
import { describeHostProbe, probeHost, type HostProbe } from "../lib/hosts/probe.ts";
import { lastLines } from "../lib/hosts/process.ts";
import { deadlineIn, messageOf, waitFor } from "../lib/wait.ts";
import { contentOf } from "./file-contents.ts";
import type { HostProcessInputs } from "./host-process.ts";

/** Starts that systemd made on its own, a second apart, after which it is not waited for any longer. */
const hopelessRestarts = 8;

/**
 * systemd is first asked after this what has become of one that does not answer: one that is hopeless has ended more often than
 * it could by then. Then ever less often, for on a host with much to start it is asked of many that only take their time.
 */
const askFirstMilliseconds = 4000;
const askAgainFactor = 1.5;

class Hopeless extends Error {}

/**
 * Waits until a process that was started answers its probe.
 *
 * @throws with the probe's last answer and the last lines of the log, after `startSeconds`, or sooner when the program ends
 * each time it is started
 */
export async function waitUntilReady(host: Host, inputs: HostProcessInputs, revision: string): Promise<void> {
  const { name, probe, files, startSeconds } = inputs;
  const content = (key: string) => contentOf(files[key] ?? "", `${name}: ${key}`);
  const begun = performance.now();
  let askAfter = askFirstMilliseconds;
  const attempt = async () => {
    try {
      await probeHost(host, probe, content);
    } catch (error) {
      const waited = performance.now() - begun;
      if (waited >= askAfter) {
        askAfter = waited * askAgainFactor;
        throwIfHopeless(await observeComing(host, name));
      }
      throw error;
    }
    const found = await observeUnlessReady(host, inputs, revision);
    if (found === undefined) return;
    const problem = problemOf(probe, found, revision);
    if (problem === undefined) return;
    throwIfHopeless(found);
    throw new Error(problem);
  };
  try {
    await waitFor(describeHostProbe(probe), deadlineIn(startSeconds), attempt, {
      interval: 50,
      maxInterval: 250,
      fatal: (error) => error instanceof Hopeless,
    });
  } catch (error) {
    const log = await lastLines(host, name).catch(() => "");
    const shown = log === "" ? "" : `\nthe end of its log:\n${log.replace(/^/gm, "  ")}`;
    throw new Error(`${name} on ${host.label}: started, but not ready: ${messageOf(error)}${shown}`, { cause: error });
  }
}

/** What runs of a process whose probe has a good answer, where that is not enough to know; undefined where it is. */
const observeUnlessReady = (host: Host, { name, probe }: HostProcessInputs, revision: string) =>
  probe.kind === "active" ? observeRunning(host, name) : observeUnlessRuns(host, name, revision);

/** Why one whose probe has a good answer is not ready all the same. */
function problemOf(
  probe: HostProbe,
  { state, result, ...found }: RunningProcess,
  revision: string,
): string | undefined {
  if (probe.kind === "active" && state !== "active") return `${state} (${result})`;
  // The answer may have come from a stranger on the same port.
  return found.revision === revision ? undefined : `somebody answers, but it does not run: ${state}`;
}

function throwIfHopeless({ state, result, restarts, isQueued }: Omit<RunningProcess, "revision">): void {
  if (restarts >= hopelessRestarts) throw new Hopeless(`it ended ${restarts} times in a row`);
  if (state === "failed" && !isQueued) throw new Hopeless(`systemd has given it up (${result})`);
}
