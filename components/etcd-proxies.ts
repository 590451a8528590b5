import type { Deployment } from "../spec/deployment.ts";
import { HostsLayout } from "./placement/hosts-layout.ts";
import type { Process } from "./process.ts";
import type { EtcdConnection } from "./processes/etcd-client.ts";
import { etcdProxyProcess } from "./processes/etcd-proxy.ts";

/** The proxies that lead clients on hosts to etcd: only on hosts that have haproxy. */
export function planEtcdProxies(deployment: Deployment<unknown>, connection: EtcdConnection): readonly Process[] {
  const { placement, etcd } = deployment;
  if (placement.kind !== "hosts" || etcd.kind !== "managed") return [];
  const layout = new HostsLayout({ ...deployment, placement });
  return layout.etcdProxies().map((name) => etcdProxyProcess({ name, etcds: layout.proxiedEtcds(), etcd: connection }));
}
