import type { HostAddress } from "../../lib/hosts/address.ts";

/** Whether two addresses are of different hosts; a different login does not count. */
export function isOtherHost(before: HostAddress, now: HostAddress | undefined): boolean {
  return now !== undefined && (before.name !== now.name || before.address !== now.address);
}
