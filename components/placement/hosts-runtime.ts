import * as pulumi from "@pulumi/pulumi";
import type { EtcdRuntimeAddress, HostsRuntimeAddress } from "../../lib/etcd/runtime/runtime.ts";
import type { HostAddress } from "../../lib/hosts/address.ts";
import type { HostPreflight } from "../../providers/host-preflight.ts";
import type { HostsLayout } from "./hosts-layout.ts";

/** How members of etcd on hosts are reached. @param addresses by the name of a host */
export function hostsRuntime(
  layout: HostsLayout,
  addresses: ReadonlyMap<string, pulumi.Output<HostAddress>>,
): pulumi.Output<HostsRuntimeAddress> {
  const members = Object.entries(layout.homes()).map(([member, host]) => [member, addresses.get(host)!] as const);
  return pulumi.output({
    kind: "hosts" as const,
    members: Object.fromEntries(members),
    hosts: [...addresses.values()],
  });
}

/** Adds the deployment's former hosts to where its members of etcd are: what a restore replaces may be there. */
export const withLeft = (
  deployment: string,
  runtime: pulumi.Output<HostsRuntimeAddress>,
  { left }: HostPreflight,
): pulumi.Output<EtcdRuntimeAddress> =>
  pulumi.all([runtime, left]).apply(([address, hosts = {}]) => ({
    ...address,
    ...(Object.keys(hosts).length > 0 && { left: { deployment, hosts: Object.values(hosts) } }),
  }));
