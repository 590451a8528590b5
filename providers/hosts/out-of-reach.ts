import { setTimeout as sleep } from "node:timers/promises";
import { labelOf, type HostAddress } from "../../lib/hosts/address.ts";
import { OtherMachine } from "../../lib/hosts/dial.ts";
import { hostPaths } from "../../lib/hosts/layout.ts";
import { Unreachable } from "../../lib/hosts/transport.ts";
import { leftBehind } from "../../lib/left-behind.ts";
import { unseen } from "../implementation.ts";

/** Warnings already given in this pulumi run: once is enough, however many resources a host has. */
const said = new Set<string>();

/** What is found on a host; if it cannot be reached, the state is kept as it is. */
export function whereReachable<T>(host: HostAddress, look: () => Promise<T>): Promise<T | typeof unseen> {
  return orElse(host, look, "what the state has of it is kept", unseen);
}

/**
 * Removes something from a host. A host that does not answer gets two minutes (a reboot), once per run; after that what
 * is there stays, and a warning names it. One whose name has passed to another machine gets no extra time.
 */
export async function removeWhereReachable(
  host: HostAddress,
  remove: () => Promise<void>,
  seconds = patienceSeconds,
): Promise<void> {
  const by = replaced.get(labelOf(host));
  const meaning = by === undefined ? left : `it is not waited for any longer, since ${by} has its name now\n${left}`;
  await orElse(host, () => patiently(host, remove, by === undefined ? seconds : 0), meaning, undefined);
}

/** Notes for this run of pulumi that the name of a host leads to another address. */
export function noteReplaced(host: HostAddress, by: HostAddress): void {
  replaced.set(labelOf(host), by.address);
}

/** The addresses that now have the names of earlier hosts. */
const replaced = new Map<string, string>();

const patienceSeconds = 120;

/** Until when to wait for hosts that do not answer, in this pulumi run. */
const waitedFor = new Map<string, number>();

async function patiently(host: HostAddress, remove: () => Promise<void>, seconds: number): Promise<void> {
  const label = labelOf(host);
  for (;;) {
    try {
      await remove();
      waitedFor.delete(label);
      return;
    } catch (error) {
      if (!(error instanceof Unreachable) || isOtherMachine(error)) throw error;
      const until = waitedFor.get(label) ?? performance.now() + seconds * 1000;
      if (performance.now() >= until) throw error;
      if (!waitedFor.has(label)) console.log(`${label}: does not answer; waiting ${seconds} s for it`);
      waitedFor.set(label, until);
      await sleep(1000);
    }
  }
}

const isOtherMachine = (error: unknown): boolean =>
  error instanceof Error && (error instanceof OtherMachine || isOtherMachine(error.cause));

const left = `${leftBehind("what this deployment has")}
if the host comes back, remove its units karmada-* and ${hostPaths.files}, ${hostPaths.data} and ${hostPaths.programs} by hand`;

async function orElse<T, Else>(host: HostAddress, run: () => Promise<T>, meaning: string, otherwise: Else) {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    const sentence = `${labelOf(host)}: cannot be reached: ${error.reason}\n${meaning}`;
    if (!said.has(sentence)) console.log(`warning: ${sentence}`);
    said.add(sentence);
    return otherwise;
  }
}
