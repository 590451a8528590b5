import type { EtcdAccess } from "../../../components/etcd-access.ts";
import { EtcdClient, encode, endOfPrefix } from "../../../lib/etcd/client.ts";

/** Each Secret, and each Work, as etcd has it. */
export async function secretsInEtcd(access: EtcdAccess): Promise<{ secrets: string[]; works: string[] }> {
  const client = new EtcdClient(access);
  const below = async (path: string) => {
    const prefix = `${access.prefix}/${path}/`;
    const range = { key: encode(prefix), rangeEnd: endOfPrefix(prefix) };
    const { kvs = [] } = await client.call<{ kvs?: { value: string }[] }>(access.endpoints[0]!, "kv/range", range);
    return kvs.map(({ value }) => Buffer.from(value, "base64").toString("latin1"));
  };
  try {
    return { secrets: await below("secrets"), works: await below("work.karmada.io/works") };
  } finally {
    client.close();
  }
}
