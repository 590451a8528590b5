import type { EtcdClient } from "../etcd/client.ts";
import { hexId } from "../etcd/hex-id.ts";
import { messageOf } from "../wait.ts";
import type { RestoreMarker } from "../etcd/runtime/marker.ts";
import type { LookedAt } from "./find-members.ts";

/** What exists where data are to be restored. */
export interface RestoreTarget {
  /** Clusters that answer or whose data lie there, hexadecimal, with the evidence: `etcd-0 answers`. */
  readonly clusters: readonly { readonly id: string; readonly evidence: string }[];
  /** Members with data that cannot be read. */
  readonly unreadable: readonly string[];
  /** Those of them with a quorum, which take writes. */
  readonly working: readonly string[];
  /** The highest revision any member reports, 0 when none does. */
  readonly revision: bigint;
  /** Members that answer, and where; the one that has applied most comes first. */
  readonly answering: readonly { readonly name: string; readonly clientUrl: string }[];
  /** The leaders among them, by name. */
  readonly leaders: readonly string[];
  /** By member; absent for one that was never restored. */
  readonly markers: Readonly<Record<string, RestoreMarker>>;
}

interface Status {
  readonly header: { readonly cluster_id: string; readonly member_id: string; readonly revision?: string };
  readonly leader?: string;
  readonly raftAppliedIndex?: string;
}

interface Answer {
  readonly clientUrl: string;
  readonly status: Status;
}

/** Looks at every member's files, and asks each that runs, without changing anything; 2 seconds at most for each answer. */
export async function lookAtTarget(
  members: readonly LookedAt[],
  client: EtcdClient | undefined,
): Promise<RestoreTarget> {
  const seen = await Promise.all(
    members.map(async ({ name, clientUrls, files }) => ({
      name,
      evidence: await files.evidence().catch((error: unknown) => {
        throw new Error(`${name}: looking at its data: ${messageOf(error)}`, { cause: error });
      }),
      ...(await statusOf(client, clientUrls)),
    })),
  );
  const answering = seen.flatMap(({ name, clientUrl, status }) =>
    status && clientUrl ? [{ name, clientUrl, status }] : [],
  );
  const foremost = answering.toSorted((a, b) => Number(applied(b.status) - applied(a.status)));
  return {
    clusters: [
      ...answering.map(({ name, status }) => ({ id: hexId(status.header.cluster_id), evidence: `${name} answers` })),
      ...seen.flatMap(({ name, evidence, status }) =>
        evidence.clusterId === undefined || status ? [] : [{ id: evidence.clusterId, evidence: `data of ${name}` }],
      ),
    ],
    unreadable: seen
      .filter(({ evidence, status }) => evidence.data && evidence.clusterId === undefined && !status)
      .map(({ name }) => name),
    working: await quorate(
      client,
      answering.map(({ clientUrl, status }) => ({ clientUrl, id: hexId(status.header.cluster_id) })),
    ),
    revision: answering.reduce((highest, { status }) => max(highest, BigInt(status.header.revision ?? 0)), 0n),
    answering: foremost.map(({ name, clientUrl }) => ({ name, clientUrl })),
    leaders: answering.flatMap(({ name, status }) => (status.leader === status.header.member_id ? [name] : [])),
    markers: Object.fromEntries(
      seen.flatMap(({ name, evidence }) => (evidence.restored ? [[name, evidence.restored]] : [])),
    ),
  };
}

const patience = 2000;

/** The first address that answers. */
async function statusOf(client: EtcdClient | undefined, clientUrls: readonly string[]): Promise<Partial<Answer>> {
  if (client === undefined) return {};
  const asked = clientUrls.map(async (clientUrl): Promise<Answer> => {
    return { clientUrl, status: await client.call<Status>(clientUrl, "maintenance/status", {}, patience) };
  });
  return Promise.any(asked).catch(() => ({}));
}

/** The clusters of which a member answers a linearizable read. */
async function quorate(
  client: EtcdClient | undefined,
  members: readonly { readonly clientUrl: string; readonly id: string }[],
): Promise<string[]> {
  if (client === undefined) return [];
  const read = ({ clientUrl, id }: (typeof members)[number]) =>
    client.call(clientUrl, "kv/range", { key: "AA==", limit: "1" }, patience).then(
      () => [id],
      () => [],
    );
  return [...new Set((await Promise.all(members.map(read))).flat())].sort();
}

const applied = ({ raftAppliedIndex = "0" }: Status): bigint => BigInt(raftAppliedIndex);
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
