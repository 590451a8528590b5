import { messageOf } from "../../wait.ts";
import type { EtcdClient } from "../client.ts";
import { observeEtcd, type EtcdHealthReport } from "../health.ts";
import { hexId } from "../hex-id.ts";
import { askEndpoints } from "../questions.ts";
import type { MemberRuntime } from "../runtime/runtime.ts";
import type { Desired, Facts, Known } from "./situation.ts";

/** Looks at the cluster alone. @param timeout milliseconds for each answer of etcd */
export async function observeCluster(
  client: EtcdClient,
  desired: Desired,
  known: Known,
  timeout = 3000,
): Promise<EtcdHealthReport> {
  const endpoints = desired.members.map(({ clientUrl }) => clientUrl);
  const before = known.members.map(({ clientUrl }) => clientUrl).filter((each) => !endpoints.includes(each));
  const ours = await notFencedOff(client, desired, [...new Set(before)], timeout);
  return observeEtcd(client, [...endpoints, ...ours], timeout);
}

/** Looks at the cluster and at what runs its members. */
export async function observeFacts(
  client: EtcdClient,
  runtime: MemberRuntime,
  desired: Desired,
  known: Known,
  timeout = 3000,
): Promise<Facts> {
  const report = await observeCluster(client, desired, known, timeout);
  const names = new Set(
    [...desired.members, ...known.members, ...report.members].flatMap(({ name }) => (name === "" ? [] : name)),
  );
  const runs = await Promise.all([...names].map(async (name) => [name, await runtime.observe(name)] as const));
  return { report, clusterVersion: await clusterVersion(client, report, timeout), runs: Object.fromEntries(runs) };
}

/** Earlier members that still run as the cluster a restore replaced say nothing about the restored one. */
async function notFencedOff(
  client: EtcdClient,
  { restored }: Desired,
  endpoints: readonly string[],
  timeout: number,
): Promise<string[]> {
  if (restored === undefined) return [...endpoints];
  const seen = await askEndpoints(client, endpoints, timeout);
  return seen
    .filter(({ status }) => status === undefined || hexId(status.header.cluster_id) === restored)
    .map(({ endpoint }) => endpoint);
}

/**
 * What etcd reports until its members know each other's versions: the second, for 5 s, if not all of them answered when
 * the leader first asked.
 * https://github.com/etcd-io/etcd/blob/v3.6.6/server/etcdserver/version/monitor.go
 */
const undecided = new Set(["not_decided", "3.0.0"]);

async function clusterVersion(client: EtcdClient, { members }: EtcdHealthReport, timeout: number): Promise<string> {
  for (const { endpoint, healthy } of members) {
    if (endpoint === undefined || !healthy) continue;
    try {
      const page = await client.page(endpoint, "/version", timeout);
      const { etcdcluster } = JSON.parse(page) as { etcdcluster?: string };
      if (etcdcluster !== undefined && !undecided.has(etcdcluster)) return etcdcluster;
    } catch (error) {
      console.debug(`${endpoint}: ${messageOf(error)}`);
    }
  }
  return "";
}
