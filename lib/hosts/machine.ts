import type { HostAddress } from "./address.ts";
import { hostAt } from "./hosts.ts";

/**
 * Which machine an address leads to: the same for all of its addresses, until it is started anew. Copies of one image have the
 * same machine-id, but each its own start; containers have the start of their machine, but each its own machine-id.
 *
 * @returns undefined when it has no machine-id
 * @throws Unreachable
 */
export async function machineAt(address: HostAddress): Promise<string | undefined> {
  const script = "cat /etc/machine-id 2>/dev/null || echo; cat /proc/sys/kernel/random/boot_id";
  const [machine = "", start = ""] = (await hostAt(address).run("asking which machine it is", script)).split("\n");
  return machine === "" ? undefined : `${machine} ${start}`;
}
