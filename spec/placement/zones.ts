import type { Deployment, HostsPlacement } from "../deployment.ts";
import { hostsOfOverride, overrideComponent } from "../etcd/hosts.ts";
import { quorum } from "../etcd/size.ts";

/**
 * Zones of hosts whose loss would cost an etcd its quorum, a sentence each. Hosts without a zone fail individually, and
 * where all are in a single zone there is no alternative.
 */
export function zoneWarnings({ placement, etcd }: Pick<Deployment<unknown>, "placement" | "etcd">): string[] {
  if (placement.kind !== "hosts" || etcd.kind !== "managed") return [];
  const { hosts } = placement;
  const named = (name: string | undefined) => hosts.find((host) => host.name === name);
  return [
    ...warningsOf(
      "etcd",
      etcd.members.map((member) => hosts.find((host) => host.etcd === member)),
    ),
    ...etcd.overrides.flatMap((override) =>
      warningsOf(overrideComponent(override), hostsOfOverride(override, placement).map(named)),
    ),
  ];
}

/** @param homes the host of each member */
function warningsOf(etcd: string, homes: readonly (HostsPlacement<unknown>["hosts"][number] | undefined)[]): string[] {
  const spare = homes.length - quorum(homes.length);
  const zoned = homes.flatMap((host) => (host?.zone === undefined ? [] : [host]));
  const zones = Map.groupBy(zoned, ({ zone }) => zone ?? "");
  const areAllInOne = zones.size === 1 && zoned.length === homes.length;
  if (spare === 0 || areAllInOne) return [];
  return [...zones].flatMap(([zone, there]) =>
    there.length <= spare
      ? []
      : [
          `placement.hosts: ${there.length} of ${homes.length} members of ${etcd} are in the zone ${zone} ` +
            `(${there.map(({ name }) => name).join(", ")}), which is as good as one place: without it there is no quorum; ` +
            `want at most ${spare} in any zone, so at least ${Math.ceil(homes.length / spare)} zones`,
        ],
  );
}
