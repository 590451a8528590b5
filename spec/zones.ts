import type { Deployment } from "./deployment.ts";
import { quorum } from "./etcd-size.ts";

/**
 * Zones of hosts without which etcd would have no quorum, a sentence each. Hosts of which no zone is known are lost by
 * themselves, and who names a single zone has no other to go to.
 */
export function zoneWarnings({ placement, etcd }: Pick<Deployment<unknown>, "placement" | "etcd">): string[] {
  if (placement.kind !== "hosts" || etcd.kind !== "managed") return [];
  const { members } = etcd;
  const spare = members.length - quorum(members.length);
  const homes = placement.hosts.filter(
    ({ etcd: member, zone }) => zone !== undefined && members.includes(member ?? ""),
  );
  const zones = Map.groupBy(homes, ({ zone }) => zone ?? "");
  if (spare === 0 || zones.size === 1) return [];
  return [...zones].flatMap(([zone, hosts]) =>
    hosts.length <= spare
      ? []
      : [
          `placement.hosts: ${hosts.length} of ${members.length} members of etcd are in the zone ${zone} ` +
            `(${hosts.map(({ name }) => name).join(", ")}), which is as good as one place: without it there is no quorum; ` +
            `want at most ${spare} in any zone, so at least ${Math.ceil(members.length / spare)} zones`,
        ],
  );
}
