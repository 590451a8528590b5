import type { EtcdClient, EtcdConnection } from "../etcd/client.ts";
import { DirectEtcdClient } from "../etcd/direct/client.ts";
import { hexId } from "../etcd/hex-id.ts";
import { explainRights, isRefusal, type Right } from "../etcd/rights.ts";
import { ofNobody, strayInWords } from "../etcd/stray-alarm.ts";
import { messageOf } from "../wait.ts";

/** A cluster to take snapshots of. */
export interface SnapshotSource {
  readonly endpoints: readonly string[];
  readonly connection: EtcdConnection;
}

/** A member that can give a snapshot, by its last status. */
export interface SourceMember {
  readonly endpoint: string;
  /** Hexadecimal. */
  readonly id: string;
  readonly name: string;
  readonly clusterId: string;
  readonly version: string;
  readonly leader: boolean;
  /** Why it does not count as healthy. */
  readonly problem?: string;
  /** Decimal. */
  readonly revision: string;
  readonly raftIndex: string;
  readonly dbSize: number;
}

interface Status {
  readonly header: { readonly cluster_id?: string; readonly member_id?: string; readonly revision?: string };
  readonly version?: string;
  readonly leader?: string;
  readonly dbSize?: string;
  readonly raftIndex?: string;
  readonly raftAppliedIndex?: string;
  readonly errors?: string[];
}

/**
 * The members to take a snapshot from, best first: healthy followers before the leader, to spare it. Members of a
 * cluster without a quorum can still give one; they are used if there is nothing better and `emergency` is set, the one
 * that has applied most first.
 *
 * @throws when no member can give one, with what each said
 */
export async function sourceMembers(
  { endpoints, connection }: SnapshotSource,
  { emergency }: { readonly emergency: boolean },
): Promise<SourceMember[]> {
  const client = new DirectEtcdClient(connection);
  try {
    const asked = await Promise.all(
      endpoints.map((endpoint) =>
        member(client, endpoint).catch((error: unknown) => {
          if (isRefusal(error)) throw explainRights(error, connection.certificate, rightToSnapshots);
          return messageOf(error);
        }),
      ),
    );
    const seen = asked.filter((each) => typeof each !== "string");
    const clusters = new Set(seen.map(({ clusterId }) => clusterId));
    if (clusters.size > 1) {
      const list = seen.map(({ endpoint, clusterId }) => `${endpoint} of ${clusterId}`).join(", ");
      throw new Error(`the endpoints are of different clusters: ${list}`);
    }
    const fit = seen.filter(({ problem }) => emergency || problem === undefined);
    if (fit.length === 0) {
      const said = [
        ...asked.filter((each) => typeof each === "string"),
        ...seen.map((each) => `${each.endpoint}: ${each.problem}`),
      ];
      throw new Error(`no member can give a snapshot: ${said.join("; ") || "there is no endpoint to ask"}`);
    }
    return fit.toSorted(
      (a, b) => rank(a) - rank(b) || Number(BigInt(b.raftIndex) - BigInt(a.raftIndex)) || (a.name < b.name ? -1 : 1),
    );
  } finally {
    client.close();
  }
}

/** https://etcd.io/docs/v3.6/op-guide/authentication/rbac/#special-users-and-roles */
export const rightToSnapshots: Right = {
  needed: "needs the role root: to nobody else etcd gives a snapshot, which holds everybody's keys",
  grant: (user) =>
    `etcdctl user grant-role ${user} root; or give the certificate of a user who has it (of a deployment: etcd.maintenance)`,
};

/** Milliseconds: a snapshot of a busy member is better than none. */
const patience = 10_000;

function rank({ problem, leader }: SourceMember): number {
  if (problem !== undefined) return 2;
  return leader ? 1 : 0;
}

async function member(client: EtcdClient, endpoint: string): Promise<SourceMember> {
  const status = await client.call<Status>(endpoint, "maintenance/status", {}, patience);
  const { header } = status;
  const problem = problemOf(status);
  return {
    endpoint,
    id: hexId(header.member_id),
    name: await nameOf(client, endpoint, header.member_id),
    clusterId: hexId(header.cluster_id),
    version: status.version ?? "",
    leader: status.leader !== undefined && status.leader === header.member_id,
    ...(problem !== undefined && { problem }),
    revision: header.revision ?? "0",
    raftIndex: status.raftAppliedIndex ?? status.raftIndex ?? "0",
    dbSize: Number(status.dbSize ?? 0),
  };
}

/**
 * A database that is full (NOSPACE) can still be saved, and ought to be; a corrupt one must not be, nor any while it is
 * unknown which one is corrupt: it would displace good snapshots. Every member reports everyone's alarms, including
 * those of members that are gone.
 */
function problemOf({ header, leader, errors = [] }: Status): string | undefined {
  const own = errors.flatMap((error) => {
    // As protobuf writes a message: without a member that is 0.
    const [, member = ofNobody, alarm] = /(?:memberID:(\d+)\s+)?alarm:(\w+)/.exec(error) ?? [];
    if (alarm === undefined) return [error];
    if (alarm === "NOSPACE") return [];
    if (member === ofNobody) return [`${strayInWords({ id: member, alarm })}: its data may be the wrong ones`];
    return member === header.member_id ? [error] : [];
  });
  if (own.length > 0) return own.join(", ");
  return leader === undefined ? "it knows no leader" : undefined;
}

/** From its own member list, which it returns without a quorum as well. */
async function nameOf(client: EtcdClient, endpoint: string, id: string | undefined): Promise<string> {
  const { members = [] } = await client.call<{ members?: { ID: string; name?: string }[] }>(
    endpoint,
    "cluster/member/list",
    {},
    patience,
  );
  return members.find((each) => each.ID === id)?.name ?? "";
}
