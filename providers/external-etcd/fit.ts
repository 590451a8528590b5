import type { EtcdClient } from "../../lib/etcd/client.ts";
import { hexId } from "../../lib/etcd/hex-id.ts";
import type { Status } from "../../lib/etcd/questions.ts";
import type { ExternalEtcdOutputs } from "../external-etcd.ts";

/** Waiting will not make it fit. */
export class Unfit extends Error {}

/**
 * Checks what can be known before anything is written.
 * @throws Unfit when it is not one cluster whose voters take writes
 */
export async function proveFit(
  client: EtcdClient,
  endpoints: readonly string[],
): Promise<Pick<ExternalEtcdOutputs, "clusterId" | "versions">> {
  const seen = await Promise.all(
    endpoints.map(async (endpoint) => {
      const status = await client.call<Status>(endpoint, "maintenance/status", {});
      if (status.isLearner === true) throw new Unfit(`${endpoint}: is a learner, give the endpoints of voters`);
      if (status.leader === undefined) throw new Error(`${endpoint}: knows no leader`);
      return { endpoint, status, clusterId: hexId(status.header.cluster_id) };
    }),
  );
  const ids = new Set(seen.map(({ clusterId }) => clusterId));
  if (ids.size > 1) {
    const list = seen.map(({ endpoint, clusterId }) => `${endpoint} of ${clusterId}`).join(", ");
    throw new Unfit(`the endpoints are of different clusters: ${list}`);
  }
  await proveNoAlarm(client, seen);
  const versions = Object.fromEntries(seen.map(({ endpoint, status }) => [endpoint, status.version ?? ""]));
  return { clusterId: seen[0]?.clusterId ?? "", versions };
}

/** An alarm of one member stops the writes of all. https://etcd.io/docs/v3.6/op-guide/maintenance/#space-quota */
async function proveNoAlarm(
  client: EtcdClient,
  seen: readonly { readonly endpoint: string; readonly status: Status }[],
): Promise<void> {
  const asked = seen[0];
  if (asked === undefined) return;
  const { alarms = [] } = await client.call<{ alarms?: { memberID?: string; alarm?: string }[] }>(
    asked.endpoint,
    "maintenance/alarm",
    { action: "GET" },
  );
  const problems = alarms.flatMap(({ memberID, alarm }) => {
    const own = seen.find(({ status }) => status.header.member_id === memberID);
    const who = own?.endpoint ?? `${asked.endpoint}: its member ${hexId(memberID)}`;
    if (alarm === "NOSPACE") return [`${who}: has the alarm NOSPACE${sizeOf(own?.status)}, no member takes writes`];
    if (alarm !== "CORRUPT") return [];
    if (memberID === undefined)
      return [`${asked.endpoint}: has the alarm CORRUPT of no member in particular, the members' data differ`];
    return [`${who}: has the alarm CORRUPT, its data differ from those of the others`];
  });
  if (problems.length === 0) return;
  throw new Unfit(`${problems.join("; ")}\n${wayOut(alarms)}, then run: etcdctl alarm disarm`);
}

function wayOut(alarms: readonly { memberID?: string; alarm?: string }[]): string {
  if (alarms.some(({ alarm }) => alarm === "NOSPACE")) {
    return "compact and defragment it, or raise its --quota-backend-bytes";
  }
  const nobody = alarms.some(({ memberID }) => memberID === undefined);
  return nobody
    ? "restore a snapshot from before, or the data of a member you trust"
    : "have the member replaced by a new one";
}

function sizeOf(status: Status | undefined): string {
  if (status?.dbSize === undefined) return "";
  const quota = status.dbSizeQuota === undefined ? "" : ` of ${status.dbSizeQuota}`;
  return ` (its database has ${status.dbSize}${quota} bytes)`;
}
