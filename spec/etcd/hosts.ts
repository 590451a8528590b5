import { type Override, overrideMembers } from "./overrides.ts";

/** What determines where members of etcd are. */
export interface EtcdHosts {
  readonly hosts: readonly { readonly name: string; readonly etcd?: string | undefined }[];
  readonly components: Readonly<Record<string, readonly string[]>>;
}

/** The key in `placement.components` for the hosts of an override's members. */
export const overrideComponent = ({ name }: Pick<Override, "name">): string => `etcd-${name}`;

/**
 * Names of the hosts of an override's members, in their order: those that its operator names, else those of the first
 * etcd's members with the same numbers. Undefined for a member without one.
 */
export function hostsOfOverride(
  override: Pick<Override, "name" | "members">,
  { hosts, components }: EtcdHosts,
): (string | undefined)[] {
  const chosen = components[overrideComponent(override)];
  return overrideMembers(override).map((_, i) =>
    chosen === undefined ? hosts.find(({ etcd }) => etcd === `etcd-${i}`)?.name : chosen[i],
  );
}
