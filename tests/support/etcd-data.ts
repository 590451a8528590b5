import { randomBytes } from "node:crypto";
import { EtcdClient, encode } from "../../lib/etcd/client.ts";
import type { EtcdCluster } from "./etcd.ts";

/** A client with the cluster's own certificate. Close it. */
export const clientOf = ({ authority, client }: EtcdCluster) =>
  new EtcdClient({ ca: authority.certificate, certificate: client.certificate, key: client.key });

export const connectionOf = ({ authority, client }: EtcdCluster) => ({
  ca: authority.certificate,
  certificate: client.certificate,
  key: client.key,
});

/** Fills an etcd with about so many bytes of random values below `/registry/`, in keys of 100 kB. @returns how many keys */
export async function fill(cluster: EtcdCluster, bytes: number): Promise<number> {
  const client = clientOf(cluster);
  try {
    return await fillEtcd(client, cluster.endpoints[0]!, bytes);
  } finally {
    client.close();
  }
}

/** The same by way of one member. */
export async function fillEtcd(client: EtcdClient, endpoint: string, bytes: number): Promise<number> {
  const total = Math.max(1, Math.round(bytes / valueBytes));
  let next = 0;
  const write = async () => {
    while (next < total) {
      const keys = Array.from({ length: Math.min(keysAtOnce, total - next) }, () => next++);
      const success = keys.map((key) => ({
        requestPut: { key: encode(`/registry/filler/${key}`), value: randomBytes(valueBytes).toString("base64") },
      }));
      await client.call(endpoint, "kv/txn", { success }, 60_000);
    }
  };
  await Promise.all(Array.from({ length: 4 }, write));
  return total;
}

const valueBytes = 100_000;
const keysAtOnce = 10;
