import type { HostAddress } from "./address.ts";
import { hostAt } from "./hosts.ts";
import { Unreachable } from "./transport.ts";

/**
 * Identifies the machine at an address: the same for all of its addresses, until it reboots. Copies of one image share
 * a machine-id but not a boot ID; containers share their machine's boot ID but not its machine-id.
 *
 * @returns undefined when it has no machine-id
 * @throws Unreachable
 */
export async function machineAt(address: HostAddress): Promise<string | undefined> {
  const script = "cat /etc/machine-id 2>/dev/null || echo; cat /proc/sys/kernel/random/boot_id";
  const [machine = "", start = ""] = (await hostAt(address).run("asking which machine it is", script)).split("\n");
  return machine === "" ? undefined : `${machine} ${start}`;
}

/** The addresses that lead to none of the given machines, unreachable ones included. */
export async function elsewhereThan(
  machines: readonly HostAddress[],
  addresses: readonly HostAddress[],
): Promise<readonly HostAddress[]> {
  if (addresses.length === 0) return [];
  const [here, there] = await Promise.all([machines, addresses].map((each) => Promise.all(each.map(machineIfSeen))));
  return addresses.filter((_, i) => there![i] === undefined || !here!.includes(there![i]));
}

async function machineIfSeen(address: HostAddress): Promise<string | undefined> {
  try {
    return await machineAt(address);
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return undefined;
  }
}
