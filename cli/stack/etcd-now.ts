import type { EtcdAccess } from "../../components/etcd-access.ts";
import { ModestEtcdClient } from "../../lib/etcd/direct/modest-client.ts";
import { observeEtcd, type EtcdHealthReport } from "../../lib/etcd/health.ts";

/** The present state of an etcd cluster. */
export interface EtcdNow extends Pick<EtcdHealthReport, "state" | "tolerates" | "members" | "strayAlarms" | "silent"> {
  /** `etcd`, or that of the override whose objects it holds. */
  readonly name: string;
}

/** Asks every member of the clusters that hold a stack's data, whoever runs them. Never throws. */
export async function etcdNow(access: EtcdAccess | undefined): Promise<EtcdNow[]> {
  if (access === undefined) return [];
  const { ca, certificate, key, endpoints, parts } = access;
  const client = new ModestEtcdClient({ ca, certificate, key });
  try {
    return await Promise.all(
      [{ name: "etcd", endpoints }, ...parts].map(async (cluster) => {
        const { state, tolerates, members, strayAlarms, silent } = await observeEtcd(client, cluster.endpoints);
        return { name: cluster.name, state, tolerates, members, strayAlarms, silent };
      }),
    );
  } finally {
    client.close();
  }
}

/** The parts whose change is worth reporting: sizes and positions change with every write. */
export const essentials = (clusters: readonly EtcdNow[]) =>
  clusters.map(({ name, state, tolerates, members, strayAlarms }) => ({
    name,
    state,
    tolerates,
    strayAlarms,
    members: members.map(({ id, role, version, healthy, alarms }) => ({ id, role, version, healthy, alarms })),
  }));
