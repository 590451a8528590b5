import type { Process } from "../process.ts";
import { type AggregatedServer, aggregatedServerProcess } from "./aggregated-server.ts";
import { etcdClient, type EtcdConnection } from "./etcd-client.ts";

/** Serves `clusters.cluster.karmada.io`, stored in the etcd and under the prefix of the Karmada API server. */
export function karmadaAggregatedApiserverProcess(
  server: AggregatedServer & { readonly etcd: EtcdConnection },
): Process {
  const etcd = etcdClient(server.etcd, "karmada-aggregated-apiserver");
  return aggregatedServerProcess(server, {
    component: "karmada-aggregated-apiserver",
    ...etcd,
    ports: [],
    probePath: "/readyz",
  });
}
