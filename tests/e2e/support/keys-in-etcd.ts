import type { EtcdAccess } from "../../../components/etcd-access.ts";
import { EtcdClient, encode, endOfPrefix } from "../../../lib/etcd/client.ts";

/** Keys below a path, without the prefix of the deployment, as one member of an etcd has them. */
export async function keysBelow(access: EtcdAccess, endpoint: string, path: string): Promise<string[]> {
  const client = new EtcdClient(access);
  const prefix = `${access.prefix}/${path}/`;
  try {
    const range = { key: encode(prefix), rangeEnd: endOfPrefix(prefix), keysOnly: true };
    const { kvs = [] } = await client.call<{ kvs?: { key: string }[] }>(endpoint, "kv/range", range);
    return kvs.map(({ key }) => Buffer.from(key, "base64").toString("latin1").slice(prefix.length));
  } finally {
    client.close();
  }
}
