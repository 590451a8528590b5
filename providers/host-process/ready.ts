import { observeComing, observeRunning, observeUnlessRuns, type RunningProcess } from "../../lib/hosts/found.ts";
import type { Host } from "../../lib/hosts/host.ts";
import { describeHostProbe, probeHost, type HostProbe } from "../../lib/hosts/probe.ts";
import { lastLines } from "../../lib/hosts/process.ts";
import { contentOf } from "../file-contents.ts";
import type { HostProcessInputs } from "../host-process.ts";
import { Hopeless, waitForStarted } from "../started-process.ts";

/** Restarts by systemd, a second apart, after which waiting is hopeless. */
const hopelessRestarts = 8;

/**
 * When systemd is first asked about one that does not answer; a hopeless one cannot be told earlier. Then it is asked
 * ever less often, since on a host with much to start many are merely slow.
 */
const askFirstMilliseconds = 4000;
const askAgainFactor = 1.5;

/**
 * Waits until a process that was started answers its probe.
 *
 * @throws with the probe's last answer and the last lines of the log, after `startSeconds`, or sooner when the program ends
 * each time it is started
 */
export async function waitUntilReady(host: Host, inputs: HostProcessInputs, revision: string): Promise<void> {
  const { name, probe, startSeconds } = inputs;
  const begun = performance.now();
  let askAfter = askFirstMilliseconds;
  const attempt = async () => {
    try {
      await ask(host, inputs);
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
  await waitForStarted(
    {
      title: `${name} on ${host.label}`,
      awaited: describeHostProbe(probe),
      startSeconds,
      log: () => endOfLog(host, name),
    },
    attempt,
    { interval: 50, maxInterval: 250 },
  );
}

/** Whether a process serves at this moment. */
export async function isReady(host: Host, inputs: HostProcessInputs, revision: string): Promise<boolean> {
  try {
    await ask(host, inputs);
    const found = await observeUnlessReady(host, inputs, revision);
    return found === undefined || problemOf(inputs.probe, found, revision) === undefined;
  } catch {
    return false;
  }
}

const ask = (host: Host, { name, probe, files }: HostProcessInputs) =>
  probeHost(host, probe, (key) => contentOf(files[key] ?? "", `${name}: ${key}`));

/** What runs of a process whose probe succeeded, if that does not suffice; undefined if it does. */
const observeUnlessReady = (host: Host, { name, probe }: HostProcessInputs, revision: string) =>
  probe.kind === "active" ? observeRunning(host, name) : observeUnlessRuns(host, name, revision);

/** Why one whose probe succeeded is still not ready. */
function problemOf(
  probe: HostProbe,
  { state, result, ...found }: RunningProcess,
  revision: string,
): string | undefined {
  if (probe.kind === "active" && state !== "active") return `${state} (${result})`;
  // The answer may have come from another program on the same port.
  return found.revision === revision ? undefined : `somebody answers, but it does not run: ${state}`;
}

function throwIfHopeless({ state, result, restarts, isQueued }: Omit<RunningProcess, "revision">): void {
  if (restarts >= hopelessRestarts) throw new Hopeless(`it ended ${restarts} times in a row`);
  if (state === "failed" && !isQueued) throw new Hopeless(`systemd has given it up (${result})`);
}

/** Empty if there is none, or the host does not say. */
async function endOfLog(host: Host, name: string): Promise<string> {
  const log = await lastLines(host, name).catch(() => "");
  return log === "" ? "" : `\nthe end of its log:\n${log.replace(/^/gm, "  ")}`;
}
