import { labelOf } from "../../lib/hosts/address.ts";
import { hostAt } from "../../lib/hosts/hosts.ts";
import { interfaceAt } from "../../lib/hosts/interfaces.ts";
import type { HostPreflightOutputs, WantedHost } from "../host-preflight.ts";
import { unseen } from "../implementation.ts";
import { whereReachable } from "./out-of-reach.ts";

/**
 * A sentence for each host that shares an address and has its own on another interface than was noted, as after an
 * upgrade of its system that names interfaces anew: keepalived does not start with the name that it had.
 */
export async function otherInterfaces(
  hosts: readonly WantedHost[],
  noted: Partial<HostPreflightOutputs["interfaces"]> = {},
): Promise<string[]> {
  const found = await Promise.all(
    hosts.map(async ({ address, vip }) => {
      const before = noted[address.name]?.own;
      if (vip === undefined || before === undefined) return [];
      const now = await whereReachable(address, () => interfaceAt(hostAt(address), address.address));
      if (now === unseen || now === before) return [];
      const where = now === undefined ? "no interface of it has its address" : `${now} has its address`;
      return [`${labelOf(address)}: ${where} now, it was ${before}`];
    }),
  );
  return found.flat();
}
