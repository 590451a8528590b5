import { join } from "node:path";
import type { EtcdConnection } from "../../lib/etcd/client.ts";
import { etcdctl } from "./etcd-auth.ts";
import type { EtcdCluster } from "./etcd.ts";
import type { Programs } from "./running.ts";

/**
 * Adds a learner to a cluster of one member that {@link startEtcd} has started, and starts it on two ports from `port` on.
 *
 * @param who may add members
 * @param flags beyond the usual
 * @returns where clients come to it
 */
export async function startLearner(
  programs: Programs,
  cluster: EtcdCluster,
  { who, port, flags = {} }: { who: EtcdConnection; port: number; flags?: Readonly<Record<string, string>> },
  program = "etcd",
): Promise<string> {
  const [learner, peer] = [`https://127.0.0.1:${port}`, `https://127.0.0.1:${port + 1}`];
  const first = Number(new URL(cluster.endpoints[0]!).port);
  await etcdctl(cluster, who, "member", "add", "learner", "--learner", `--peer-urls=${peer}`);
  const file = (name: string) => join(programs.directory, "etcd", name);
  const tls = { "trusted-ca-file": file("ca.crt"), "cert-file": file("server.crt"), "key-file": file("server.key") };
  const peers = Object.entries(tls).map(([flag, path]) => [`peer-${flag}`, path]);
  await programs.start(
    program,
    {
      ...{ name: "learner", "data-dir": join(programs.directory, "learner"), "initial-cluster-state": "existing" },
      ...{ "listen-client-urls": learner, "advertise-client-urls": learner },
      ...{ "listen-peer-urls": peer, "initial-advertise-peer-urls": peer },
      "initial-cluster": `etcd-0=https://127.0.0.1:${first + 1},learner=${peer}`,
      ...{ "client-cert-auth": true, "peer-client-cert-auth": true, "unsafe-no-fsync": true },
      ...tls,
      ...Object.fromEntries(peers),
      ...flags,
    },
    "learner",
  );
  return learner;
}
