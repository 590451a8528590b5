import type { EtcdClient } from "./client.ts";
import { judge, type EtcdConditions, type EtcdState } from "./conditions.ts";
import { hexId } from "./hex-id.ts";
import type { EtcdMember, EtcdRole } from "./member.ts";
import { askEndpoints, askMembers, type Entry, type MemberList, type Seen, type Status } from "./questions.ts";
import type { StrayAlarm } from "./stray-alarm.ts";

export interface EtcdHealthReport {
  /** Hexadecimal; empty when nobody answered. */
  readonly clusterId: string;
  readonly state: EtcdState;
  readonly conditions: EtcdConditions;
  /** Members that may be lost now without an outage. */
  readonly tolerates: number;
  /** Highest revision seen, decimal. */
  readonly revision: string;
  /** In order of their names. What one member knows by itself when there is no quorum. */
  readonly members: EtcdMember[];
  /** Alarms of members that are not on the list. */
  readonly strayAlarms: StrayAlarm[];
  /** What each endpoint that gave no state said instead. */
  readonly silent: string[];
  /** Endpoints among them that refuse our certificate, or show one that has ended. */
  readonly refusing: readonly string[];
  /** Version to which the cluster is allowed to downgrade, while it is. */
  readonly downgrade?: string;
}

/**
 * Asks every endpoint for its state, and the cluster for its members and alarms, which takes a quorum.
 * @throws when no endpoint can speak for the cluster; the message includes what each said
 */
export async function etcdHealth(client: EtcdClient, endpoints: readonly string[]): Promise<EtcdHealthReport> {
  const report = await observeEtcd(client, endpoints);
  if (report.conditions.quorum) return report;
  throw new Error(report.silent.join("; ") || "there is no endpoint to ask");
}

/**
 * Asks every endpoint for its state, and the cluster for its members and alarms. It need not work: `state` says what is
 * wrong. A member that is none of the endpoints is asked at the address it advertises. Never throws.
 * @param timeout milliseconds for each answer
 */
export async function observeEtcd(
  client: EtcdClient,
  endpoints: readonly string[],
  timeout = 3000,
): Promise<EtcdHealthReport> {
  const first = await askEndpoints(client, endpoints, timeout);
  const cluster = await askMembers(client, first, timeout);
  const others = await askEndpoints(client, unasked(cluster.list, first), timeout);
  const seen = [...first, ...others];
  const statuses = seen.flatMap(({ status }) => (status === undefined ? [] : [status]));
  const highest = Math.max(0, ...statuses.map(({ raftIndex }) => Number(raftIndex ?? 0)));
  const members = (cluster.list?.members ?? []).map((entry): EtcdMember => {
    const mine = seen.find(({ status }) => status?.header.member_id === entry.ID);
    return {
      name: entry.name ?? "",
      id: hexId(entry.ID),
      clientUrls: entry.clientURLs ?? [],
      peerUrls: entry.peerURLs ?? [],
      learner: entry.isLearner ?? false,
      ...(mine && { endpoint: mine.endpoint }),
      ...told(entry, mine?.status, silenceOf(entry, first, others), highest),
      alarms: cluster.alarms.flatMap(({ memberID, alarm }) => (memberID === entry.ID ? [alarm ?? ""] : [])),
    };
  });
  const strayAlarms = cluster.alarms
    .filter(({ memberID }) => !cluster.list?.members?.some(({ ID }) => ID === memberID))
    .map(({ memberID, alarm }): StrayAlarm => ({ id: hexId(memberID), alarm: alarm ?? "" }));
  const downgrade = statuses.find(({ downgradeInfo }) => downgradeInfo?.enabled)?.downgradeInfo?.targetVersion;
  const silent = [...seen.flatMap(({ silence }) => silence ?? []), ...cluster.refusals];
  const clusterIds = new Set(statuses.map(({ header }) => hexId(header.cluster_id)));
  return {
    clusterId: [...clusterIds][0] ?? "",
    ...judge({ members, strayAlarms, quorum: cluster.quorum, clusterIds: [...clusterIds] }),
    revision: highestOf(statuses.map(({ header }) => header.revision ?? "0")),
    members: members.sort((a, b) => (a.name < b.name ? -1 : 1)),
    strayAlarms,
    silent,
    refusing: seen.filter(({ refusing }) => refusing).map(({ endpoint }) => endpoint),
    ...(downgrade !== undefined && { downgrade }),
  };
}

/** What a member says of itself. */
function told(
  entry: { ID: string; isLearner?: boolean },
  status: Status | undefined,
  silence: string,
  highest: number,
) {
  const problem = problemOf(status, silence);
  const leader = status?.leader === entry.ID;
  const dbSize = Number(status?.dbSize ?? 0);
  const dbSizeInUse = Number(status?.dbSizeInUse ?? 0);
  const raftAppliedIndex = Number(status?.raftAppliedIndex ?? 0);
  const role = ["0", undefined].includes(status?.leader)
    ? "unknown"
    : leader
      ? "leader"
      : entry.isLearner
        ? "learner"
        : "follower";
  return {
    role: role satisfies EtcdRole as EtcdRole,
    healthy: problem === undefined,
    ...(problem !== undefined && { problem }),
    version: status?.version ?? "",
    storageVersion: status?.storageVersion ?? "",
    leader,
    raftIndex: Number(status?.raftIndex ?? 0),
    raftAppliedIndex,
    lag: status === undefined ? 0 : Math.max(0, highest - raftAppliedIndex),
    dbSize,
    dbSizeInUse,
    dbSizeQuota: Number(status?.dbSizeQuota ?? 0),
    fragmentation: dbSize === 0 ? 0 : 1 - dbSizeInUse / dbSize,
  };
}

/**
 * Why there is no state of a member. Its advertised address may be of use to the others alone, as that of a Service is:
 * then the given endpoints that did not answer say more.
 */
function silenceOf({ clientURLs = [] }: Entry, given: readonly Seen[], others: readonly Seen[]): string {
  const at = (seen: readonly Seen[]) => seen.find(({ endpoint }) => clientURLs.includes(endpoint));
  const elsewhere = at(others);
  const own = (at(given) ?? elsewhere)?.silence;
  const said = given.flatMap(({ silence }) => silence ?? []);
  if (own !== undefined && (elsewhere?.nowhere !== true || said.length === 0)) return own;
  return ["none of the endpoints is this member", ...said].join("; ");
}

function problemOf(status: Status | undefined, silence: string): string | undefined {
  if (status === undefined) return silence;
  const errors = (status.errors ?? []).filter((error) => !/alarm/i.test(error));
  if (errors.length > 0) return errors.join(", ");
  return status.leader === undefined ? "knows no leader" : undefined;
}

/** Addresses of members that have not been asked: an endpoint may be where a member is going to be, not where it is. */
function unasked(list: MemberList | undefined, seen: readonly Seen[]): string[] {
  return (list?.members ?? [])
    .filter(({ ID }) => !seen.some(({ status }) => status?.header.member_id === ID))
    .flatMap(({ clientURLs = [] }) => clientURLs)
    .filter((url) => !seen.some(({ endpoint }) => endpoint === url));
}

const highestOf = (revisions: readonly string[]) =>
  revisions.reduce((highest, each) => (BigInt(each) > BigInt(highest) ? each : highest), "0");
