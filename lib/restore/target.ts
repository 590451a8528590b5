import type { EtcdClient } from "../etcd/client.ts";
import { messageOf } from "../wait.ts";
import type { RestoreMarker } from "./marker.ts";
import type { MemberFiles } from "./member-files.ts";
import type { RestoredMember } from "./token.ts";

/** What is there where data are to be restored. */
export interface RestoreTarget {
  /** Clusters that answer or whose data lie there, hexadecimal, with what tells of them: `etcd-0 answers`. */
  readonly clusters: readonly { readonly id: string; readonly evidence: string }[];
  /** Members with data that cannot be read. */
  readonly unreadable: readonly string[];
  /** It takes writes: a quorum agrees. */
  readonly quorate: boolean;
  /** The highest revision any member answers, 0 when none does. */
  readonly revision: bigint;
  /** Members that answer, the one that has applied most first. */
  readonly answering: readonly string[];
  /** By member; absent where none was ever restored. */
  readonly markers: Readonly<Record<string, RestoreMarker>>;
}

interface Status {
  readonly header: { readonly cluster_id: string; readonly revision?: string };
  readonly raftAppliedIndex?: string;
}

/** Looks at every member's files, and asks each that runs, without changing anything; 2 seconds at most for each answer. */
export async function lookAtTarget(
  members: readonly (Pick<RestoredMember, "name" | "clientUrl"> & { readonly files: MemberFiles })[],
  client: EtcdClient | undefined,
): Promise<RestoreTarget> {
  const seen = await Promise.all(
    members.map(async ({ name, clientUrl, files }) => ({
      name,
      clientUrl,
      evidence: await files.evidence().catch((error: unknown) => {
        throw new Error(`${name}: looking at its data: ${messageOf(error)}`, { cause: error });
      }),
      status: await statusOf(client, clientUrl),
    })),
  );
  const answering = seen.flatMap(({ name, clientUrl, status }) => (status ? [{ name, clientUrl, status }] : []));
  const foremost = answering.toSorted((a, b) => Number(applied(b.status) - applied(a.status)));
  return {
    clusters: [
      ...answering.map(({ name, status }) => ({ id: hex(status.header.cluster_id), evidence: `${name} answers` })),
      ...seen.flatMap(({ name, evidence, status }) =>
        evidence.clusterId === undefined || status ? [] : [{ id: evidence.clusterId, evidence: `data of ${name}` }],
      ),
    ],
    unreadable: seen
      .filter(({ evidence, status }) => evidence.data && evidence.clusterId === undefined && !status)
      .map(({ name }) => name),
    quorate: await isQuorate(
      client,
      answering.map(({ clientUrl }) => clientUrl),
    ),
    revision: answering.reduce((highest, { status }) => max(highest, BigInt(status.header.revision ?? 0)), 0n),
    answering: foremost.map(({ name }) => name),
    markers: Object.fromEntries(
      seen.flatMap(({ name, evidence }) => (evidence.restored ? [[name, evidence.restored]] : [])),
    ),
  };
}

const patience = 2000;

function statusOf(client: EtcdClient | undefined, endpoint: string): Promise<Status | undefined> {
  if (client === undefined) return Promise.resolve(undefined);
  return client.call<Status>(endpoint, "maintenance/status", {}, patience).catch(() => undefined);
}

/** A read that a quorum has to agree on. */
async function isQuorate(client: EtcdClient | undefined, endpoints: readonly string[]): Promise<boolean> {
  if (client === undefined) return false;
  const read = (endpoint: string) => client.call(endpoint, "kv/range", { key: "AA==", limit: "1" }, patience);
  return Promise.any(endpoints.map(read)).then(
    () => true,
    () => false,
  );
}

const applied = ({ raftAppliedIndex = "0" }: Status): bigint => BigInt(raftAppliedIndex);
const hex = (decimal: string): string => BigInt(decimal).toString(16);
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
