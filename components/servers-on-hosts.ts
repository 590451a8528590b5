import type { ApiServers } from "../providers/plane-versions.ts";
import type { Placement } from "./placement.ts";
import type { Process } from "./process.ts";

/** The API servers that run on hosts, each by its process and host. @param urls of each */
export function serversOnHosts(
  placement: Pick<Placement, "hostName">,
  processes: readonly Process[],
  urls: readonly string[],
): ApiServers {
  if (placement.hostName === undefined) return {};
  const hostOf = ({ name }: Process) => placement.hostName?.(name);
  return Object.fromEntries(processes.map((process, i) => [`${process.name} on ${hostOf(process)}`, urls[i]!]));
}
