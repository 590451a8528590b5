import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { labelOf, type HostAddress } from "../../lib/hosts/address.ts";
import { observeHost, type FoundOnHost } from "../../lib/hosts/found-on-host.ts";
import type { FoundProcess } from "../../lib/hosts/found.ts";
import type { Host } from "../../lib/hosts/host.ts";
import { hostAt } from "../../lib/hosts/hosts.ts";
import { userOf } from "../../lib/hosts/layout.ts";
import { declaredInputs, type Declared } from "../host-process/declared.ts";
import type { Before } from "../implementation.ts";
import { isOtherHost } from "./identity.ts";

/** What was found on each host at the start of a pulumi run: each is asked once, however many processes it has. */
const looks = new WeakMap<Host, Promise<FoundOnHost | undefined>>();

/** For the login and one command, which take more than five on a busy machine. A warning is not worth a longer wait. */
const patienceSeconds = 10;

/** What is on a host; undefined if it does not answer in time. Whatever needs the host reports why. */
export function lookAround(address: HostAddress): Promise<FoundOnHost | undefined> {
  const host = hostAt(address);
  const look =
    looks.get(host) ??
    Promise.race([observeHost(host).catch(() => undefined), sleep(patienceSeconds * 1000, undefined, { ref: false })]);
  looks.set(host, look);
  return look;
}

/** Hosts reported as empty in this run. */
const empty = new Set<string>();

/**
 * Warns of how a process differs from how the last `up` left it. What a refresh found shows in the preview anyway.
 *
 * @param driftOf a sentence for each difference from what was declared then
 */
export async function warnOfHands<Inputs extends Declared>(
  inputs: Partial<Inputs>,
  { inputs: before, drifted }: Before<Inputs>,
  driftOf: (before: Inputs, found: FoundProcess) => readonly string[],
): Promise<void> {
  if (drifted || inputs.host === undefined || before?.host === undefined) return;
  const found = await lookWhereItWas(inputs, before);
  if (found === undefined) return;
  const label = labelOf(inputs.host);
  if (found.isEmpty) {
    if (!empty.has(label))
      console.warn(`${label}: nothing of this deployment is there any more\n${adviceFor(isChanged(inputs, before))}`);
    empty.add(label);
    return;
  }
  const process = found.process(inputs.name!, userOf(before.component!));
  const drift = process === undefined ? ["nothing of it is there any more"] : driftOf(before as Inputs, process);
  if (drift.length === 0) return;
  console.warn(`${label}: ${inputs.name}: ${drift.join("; ")}\n${adviceFor(isChanged(inputs, before))}`);
}

/**
 * A process as found, if an `up` is about to restore it to its declaration: because of what a refresh found, or of
 * another change.
 */
export async function aboutToPutBack(
  inputs: Partial<Declared>,
  { inputs: before, drifted }: Before<Declared>,
): Promise<FoundProcess | undefined> {
  if (before === undefined || !(drifted || isChanged(inputs, before))) return undefined;
  const found = await lookWhereItWas(inputs, before);
  return found?.process(before.name!, userOf(before.component!));
}

/** What is on its host; undefined if that is another one now, or does not answer. */
async function lookWhereItWas(
  { host }: Partial<Declared>,
  before: Partial<Declared>,
): Promise<FoundOnHost | undefined> {
  if (host === undefined || before.host === undefined || isOtherHost(before.host, host)) return undefined;
  return lookAround(host);
}

/** Whether an `up` will touch it because of its declaration. Values unknown in a preview are likely to change. */
function isChanged(inputs: Partial<Declared>, before: Partial<Declared>): boolean {
  const names = Object.keys(declaredInputs) as (keyof Declared)[];
  return names.some((name) => declaredInputs[name] !== "ignore" && !isDeepStrictEqual(inputs[name], before[name]));
}

const adviceFor = (isChanged: boolean): string =>
  isChanged
    ? "this `up` puts it as it is declared"
    : "`refresh` and then `up` put it as it is declared, and so does an `up` that changes it";
