import type { Host } from "../lib/hosts/host.ts";
import { describeHostProbe, probeHost } from "../lib/hosts/probe.ts";
import { lastLines, observeProcess } from "../lib/hosts/process.ts";
import { deadlineIn, messageOf, waitFor } from "../lib/wait.ts";
import { contentOf } from "./file-contents.ts";
import type { HostProcessInputs } from "./host-process.ts";

/** Starts that systemd made on its own, a second apart, after which it is not waited for any longer. */
const hopelessRestarts = 8;

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
  const attempt = async () => {
    try {
      await probeHost(host, probe, content);
      if (probe.kind === "active") await throwUnlessActive(host, name);
    } catch (error) {
      await throwIfHopeless(host, name);
      throw error;
    }
    // The answer may have come from a stranger on the same port.
    const found = await observeProcess(host, name, []);
    if (found.revision !== revision) throw new Error(`somebody answers, but it does not run: ${found.state}`);
  };
  try {
    await waitFor(describeHostProbe(probe), deadlineIn(startSeconds), attempt, {
      interval: 50,
      fatal: (error) => error instanceof Hopeless,
    });
  } catch (error) {
    const log = await lastLines(host, name).catch(() => "");
    const shown = log === "" ? "" : `\nthe end of its log:\n${log.replace(/^/gm, "  ")}`;
    throw new Error(`${name} on ${host.label}: started, but not ready: ${messageOf(error)}${shown}`, { cause: error });
  }
}

async function throwUnlessActive(host: Host, name: string): Promise<void> {
  const { state, result } = await observeProcess(host, name, []);
  if (state !== "active") throw new Error(`${state} (${result})`);
}

async function throwIfHopeless(host: Host, name: string): Promise<void> {
  const { state, result, restarts } = await observeProcess(host, name, []);
  if (restarts >= hopelessRestarts) throw new Hopeless(`it ended ${restarts} times in a row`);
  if (state === "failed") throw new Hopeless(`systemd has given it up (${result})`);
}
