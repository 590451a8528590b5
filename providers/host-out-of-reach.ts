import { labelOf, type HostAddress } from "../lib/hosts/address.ts";
import { hostPaths } from "../lib/hosts/layout.ts";
import { Unreachable } from "../lib/hosts/transport.ts";
import { unseen } from "./implementation.ts";

/** What was said of hosts in this run of pulumi: once is enough, however many resources are there. */
const said = new Set<string>();

/** What is found on a host; while nobody comes to it, what the state has of it stands. */
export function whereReachable<T>(host: HostAddress, look: () => Promise<T>): Promise<T | typeof unseen> {
  return orElse(host, look, "what the state has of it is kept", unseen);
}

/** Takes something off a host. What is on one that nobody comes to stays there. */
export async function removeWhereReachable(host: HostAddress, remove: () => Promise<void>): Promise<void> {
  await orElse(host, remove, left, undefined);
}

const left = `what this deployment has there stays
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
