import { isIP } from "node:net";
import { dataOf } from "../../lib/hosts/layout.ts";
import type { WantedHost } from "../../providers/host-preflight.ts";
import type { Deployment, HostsPlacement } from "../../spec/deployment.ts";
import { hostPorts } from "../../spec/placement/host-ports.ts";
import { etcdProxyComponent } from "../processes/etcd-proxy.ts";
import { haproxyComponent, haproxyName, haproxyProgram } from "../processes/haproxy.ts";
import { keepalivedProgram } from "../processes/keepalived.ts";
import type { HostsLayout } from "./hosts-layout.ts";
import type { HostsPorts } from "./hosts-ports.ts";

type Host = HostsPlacement<unknown>["hosts"][number];

/**
 * What is wanted of a host, for its preflight. @param names of what its programs reach elsewhere, except members of
 * etcd
 */
export function wantedOf(
  host: Host,
  { loadBalancer, mirror }: Pick<HostsPlacement<unknown>, "loadBalancer" | "mirror">,
  layout: HostsLayout,
  ports: HostsPorts,
  names: readonly string[],
): Omit<WantedHost, "address"> {
  const processes = [...layout.processesOn(host), ...layout.forTeamsOn(host)];
  const led = [...layout.proxiedEtcds().map(({ port }) => port), ...layout.components()];
  const numbers = processes.flatMap((process) =>
    Object.entries(ports.of(process))
      .filter(([port]) => !leading.has(port) || led.includes(port))
      .map(([port, number]) => [`${process} ${port}`, number] as const),
  );
  const members = layout.membersOn(host);
  const [member] = members;
  const sockets = layout.socketsOn(host);
  const wanted = {
    ports: Object.fromEntries(numbers),
    reached: numbers.filter(([what]) => / (client|peer|secure|grpc)$/.test(what)).map(([, number]) => number),
    etcd: member !== undefined,
    ...(mirror !== undefined && { mirror }),
    ...(sockets.length > 0 && { sockets }),
    ...(names.length > 0 && processes.some((process) => !members.includes(process)) && { names }),
    ...(member !== undefined && host.etcdDirectory !== undefined && { etcdData: dataOf(member, host.etcdDirectory) }),
  };
  const balancer = haproxyName(host.name);
  if (loadBalancer.kind !== "haproxy" || !processes.includes(balancer)) return wanted;
  const { vip: address, port, routerId, interface: device } = loadBalancer;
  return {
    ...wanted,
    ports: { ...wanted.ports, [`${balancer} clients`]: port },
    installed: [haproxyProgram.installed, keepalivedProgram.installed],
    vip: { address, routerId, ...(device !== undefined && { interface: device }) },
  };
}

/** Ports for something that not every deployment has, each by its name. */
const leading = new Set(
  [etcdProxyComponent, haproxyComponent]
    .flatMap((proxy) => Object.keys(hostPorts[proxy] ?? {}))
    .filter((port) => port !== "http"),
);

/** DNS names with which programs on hosts reach what is elsewhere: the front of the API servers, and etcd. */
export function foreignNames({
  placement: { loadBalancer },
  etcd,
}: Pick<Deployment<unknown>, "etcd"> & {
  readonly placement: Pick<HostsPlacement<unknown>, "loadBalancer">;
}): string[] {
  const urls = [
    ...(loadBalancer.kind === "external" ? [loadBalancer.endpoint] : []),
    ...(etcd.kind === "external" ? etcd.endpoints : []),
  ];
  const names = urls.map((url) => new URL(url).hostname.replace(/^\[|\]$/g, ""));
  return [...new Set(names)].filter((name) => isIP(name) === 0);
}
