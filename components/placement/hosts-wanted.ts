import { dataOf } from "../../lib/hosts/layout.ts";
import type { WantedHost } from "../../providers/host-preflight.ts";
import type { HostsPlacement } from "../../spec/deployment.ts";
import { haproxyName, haproxyProgram } from "../processes/haproxy.ts";
import { keepalivedProgram } from "../processes/keepalived.ts";
import type { HostsLayout } from "./hosts-layout.ts";
import type { HostsPorts } from "./hosts-ports.ts";

type Host = HostsPlacement<unknown>["hosts"][number];

/** What a host is wanted for, as its preflight asks. */
export function wantedOf(
  host: Host,
  { loadBalancer }: Pick<HostsPlacement<unknown>, "loadBalancer">,
  layout: HostsLayout,
  ports: HostsPorts,
): Omit<WantedHost, "address"> {
  const processes = layout.processesOn(host);
  const numbers = processes.flatMap((process) =>
    Object.entries(ports.of(process)).map(([port, number]) => [`${process} ${port}`, number] as const),
  );
  const isMembers = host.etcd !== undefined && processes.includes(host.etcd);
  const wanted = {
    ports: Object.fromEntries(numbers),
    reached: numbers.filter(([what]) => / (client|peer|secure|grpc)$/.test(what)).map(([, number]) => number),
    etcd: isMembers,
    ...(isMembers && host.etcdDirectory !== undefined && { etcdData: dataOf(host.etcd, host.etcdDirectory) }),
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
