import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "./cluster.ts";
import { startCluster } from "./cluster.ts";
import type { EtcdCluster } from "./etcd.ts";
import { allowFileWatchers } from "./file-watchers.ts";
import type { Programs } from "./running.ts";

/**
 * Starts clusters that are real to whoever joins them and as light as that allows: each a kube-apiserver with an authority
 * and a kube-system of its own, and of the controllers the two that joining and leaving need. There are no nodes. They share
 * an etcd, and take two ports each from `port` on.
 */
export async function startLightClusters(
  programs: Programs,
  etcd: EtcdCluster,
  names: readonly string[],
  port: number,
): Promise<Cluster[]> {
  programs.afterwards(allowFileWatchers());
  const clusters: Cluster[] = [];
  let next = 0;
  const startOnes = async () => {
    for (let i = next++; i < names.length; i = next++) {
      clusters[i] = await startCluster(programs, etcd, { ...light, name: names[i]!, port: port + 2 * i });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, startOnes));
  return clusters;
}

/** Writes the administrators' kubeconfigs to a directory as `memberGroups` takes them in, and gives its path. */
export function writeKubeconfigs(directory: string, kubeconfigs: Readonly<Record<string, string>>): string {
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of Object.entries(kubeconfigs)) {
    writeFileSync(join(directory, `${name}.kubeconfig`), text, { mode: 0o600 });
  }
  return directory;
}

/** Starting is a processor's work: more at the same time only take longer, each of them. */
const atOnce = 3;

const light = {
  controllers: "serviceaccount-token,namespace",
  flags: {
    "watch-cache": false,
    "enable-priority-and-fairness": false,
    "max-requests-inflight": 50,
    "max-mutating-requests-inflight": 25,
    // Each would count the objects of every kind once a minute, which is half of what an idle one costs.
    "etcd-count-metric-poll-period": 0,
    "etcd-db-metric-poll-interval": 0,
    "feature-gates": "APIServerIdentity=false",
    v: 0,
  },
  controllerFlags: { "secure-port": 0, v: 0 },
  env: { GOGC: "50", GOMAXPROCS: "1" },
} as const;
