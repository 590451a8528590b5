import type { Process } from "../process.ts";
import { type AggregatedServer, aggregatedServerProcess } from "./aggregated-server.ts";
import { etcdClient, type EtcdConnection } from "./etcd-client.ts";

/**
 * Serves `resourceregistries.search.karmada.io` and the cache of member objects behind it. It is ready only once it
 * can read clusters and resource registries through the aggregation layer, its own included.
 */
export function karmadaSearchProcess(server: AggregatedServer & { readonly etcd: EtcdConnection }): Process {
  const etcd = etcdClient(server.etcd, "karmada-search");
  const probes = {
    probePath: "/livez",
    servingPath: `/livez?${waits.map((hook) => `exclude=poststarthook/${hook}`).join("&")}`,
  };
  return aggregatedServerProcess(server, { component: "karmada-search", ...etcd, ports: [], ...probes });
}

/**
 * Its hooks that complete once it has read through the aggregation layer (cmd/karmada-search/app/karmada-search.go).
 */
const waits = ["start-karmada-informers", "start-karmada-search-controller"];
