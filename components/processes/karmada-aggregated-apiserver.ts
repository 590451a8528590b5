import type { Process } from "../process.ts";
import type { AggregatedServer } from "./aggregated-server.ts";
import { aggregatedServerProcess } from "./aggregated-server.ts";
import type { EtcdConnection } from "./etcd-client.ts";
import { etcdClient } from "./etcd-client.ts";

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
