import type { EtcdClient } from "./client.ts";
import { messageOf } from "../wait.ts";

/** A member as it was seen. */
export interface EtcdMember {
  /** Empty while it was added but never started. */
  readonly name: string;
  /** Hexadecimal, as etcdctl prints it. */
  readonly id: string;
  readonly clientUrls: string[];
  readonly peerUrls: string[];
  /** Not a voter yet. */
  readonly learner: boolean;
  /** It answers, knows a leader and reports no error. */
  readonly healthy: boolean;
  /** Why it is not healthy. */
  readonly problem?: string;
  /** For instance `3.6.6`; empty when it does not answer. */
  readonly version: string;
  readonly leader: boolean;
  /** Of the database file, in bytes, and the part of it in use. */
  readonly dbSize: number;
  readonly dbSizeInUse: number;
  /** For instance `NOSPACE`, `CORRUPT`. */
  readonly alarms: string[];
}

export interface EtcdHealthReport {
  /** Hexadecimal. */
  readonly clusterId: string;
  readonly members: EtcdMember[];
}

interface Header {
  readonly cluster_id?: string;
  readonly member_id?: string;
}

interface Status {
  readonly header: Header;
  readonly version?: string;
  readonly leader?: string;
  readonly dbSize?: string;
  readonly dbSizeInUse?: string;
  readonly errors?: string[];
}

interface MemberList {
  readonly header: Header;
  readonly members?: {
    readonly ID: string;
    readonly name?: string;
    readonly clientURLs?: string[];
    readonly peerURLs?: string[];
    readonly isLearner?: boolean;
  }[];
}

interface AlarmList {
  readonly alarms?: { readonly memberID?: string; readonly alarm?: string }[];
}

/**
 * Asks every endpoint for its state, and the cluster for its members and alarms, which takes a quorum.
 * @throws when no endpoint can speak for the cluster; the message has what each said
 */
export async function etcdHealth(client: EtcdClient, endpoints: readonly string[]): Promise<EtcdHealthReport> {
  const statuses = await Promise.all(
    endpoints.map(async (endpoint) => {
      const ask = client.call<Status>(endpoint, "maintenance/status", {});
      return { endpoint, answer: await ask.catch((error: unknown) => messageOf(error)) };
    }),
  );
  const answered = statuses.filter(
    (each): each is { endpoint: string; answer: Status } => typeof each.answer === "object",
  );
  const { list, alarms } = await anyOf(
    answered.map((each) => each.endpoint),
    async (endpoint) => ({
      list: await client.call<MemberList>(endpoint, "cluster/member/list", { linearizable: true }),
      alarms: await client.call<AlarmList>(endpoint, "maintenance/alarm", { action: "GET" }),
    }),
    statuses.flatMap(({ answer }) => (typeof answer === "string" ? [answer] : [])),
  );
  const members = (list.members ?? []).map((member) => {
    const status = answered.find(({ answer }) => answer.header.member_id === member.ID)?.answer;
    const silence = statuses.find(({ endpoint }) => member.clientURLs?.includes(endpoint))?.answer;
    const problem = problemOf(status, typeof silence === "string" ? silence : "none of the endpoints is this member");
    return {
      name: member.name ?? "",
      id: hex(member.ID),
      clientUrls: member.clientURLs ?? [],
      peerUrls: member.peerURLs ?? [],
      learner: member.isLearner ?? false,
      healthy: problem === undefined,
      ...(problem !== undefined && { problem }),
      version: status?.version ?? "",
      leader: status?.leader === member.ID,
      dbSize: Number(status?.dbSize ?? 0),
      dbSizeInUse: Number(status?.dbSizeInUse ?? 0),
      alarms: (alarms.alarms ?? []).flatMap(({ memberID, alarm }) => (memberID === member.ID ? [alarm ?? ""] : [])),
    };
  });
  return {
    clusterId: hex(list.header.cluster_id ?? "0"),
    members: members.sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function problemOf(status: Status | undefined, silence: string): string | undefined {
  if (status === undefined) return silence;
  if (status.errors !== undefined && status.errors.length > 0) return status.errors.join(", ");
  return status.leader === undefined ? "knows no leader" : undefined;
}

/** The first that answers, one after another: a learner or a member without quorum does not. */
async function anyOf<T>(endpoints: string[], ask: (endpoint: string) => Promise<T>, refusals: string[]): Promise<T> {
  for (const endpoint of endpoints) {
    try {
      return await ask(endpoint);
    } catch (error) {
      refusals.push(messageOf(error));
    }
  }
  throw new Error(refusals.join("; ") || "there is no endpoint to ask");
}

const hex = (decimal: string) => BigInt(decimal).toString(16);
