import { messageOf } from "../wait.ts";
import { type EtcdClient, isRefusal, isUnknownName } from "./client.ts";

export interface Header {
  readonly cluster_id?: string;
  readonly member_id?: string;
  readonly revision?: string;
}

/** A member's answer to `maintenance/status`. Default values are omitted. */
export interface Status {
  readonly header: Header;
  readonly version?: string;
  readonly storageVersion?: string;
  /** Absent when it knows none; "0" when it does not say which. */
  readonly leader?: string;
  readonly isLearner?: boolean;
  readonly raftIndex?: string;
  readonly raftAppliedIndex?: string;
  readonly dbSize?: string;
  readonly dbSizeInUse?: string;
  readonly dbSizeQuota?: string;
  readonly errors?: string[];
  readonly downgradeInfo?: { readonly enabled?: boolean; readonly targetVersion?: string };
}

/** A member as `cluster/member/list` has it. */
export interface Entry {
  readonly ID: string;
  readonly name?: string;
  readonly clientURLs?: string[];
  readonly peerURLs?: string[];
  readonly isLearner?: boolean;
}

/** The answer to `cluster/member/list`. */
export interface MemberList {
  readonly header: Header;
  readonly members?: Entry[];
}

/** The answer of an endpoint: its state, or why there is none. */
export interface Seen {
  readonly endpoint: string;
  readonly status?: Status;
  readonly silence?: string;
  /** Its name does not resolve here, so the silence says nothing about the member. @default false */
  readonly nowhere?: boolean;
  /** It runs, and its certificate and ours do not go together. @default false */
  readonly refusing?: boolean;
}

/** What the cluster said through one of its members. */
export interface ClusterSaid {
  /** Whether a majority stands behind it. Without, the list is what one member last knew. */
  readonly quorum: boolean;
  readonly list?: MemberList;
  readonly alarms: readonly { readonly memberID?: string; readonly alarm?: string }[];
  /** Why those that were asked could not speak for the cluster. */
  readonly refusals: readonly string[];
}

/** Asks all at once, each for its own state; learners and members without a quorum answer too. */
export function askEndpoints(client: EtcdClient, endpoints: readonly string[], timeout: number): Promise<Seen[]> {
  return Promise.all(
    endpoints.map(async (endpoint) => {
      try {
        return { endpoint, status: await client.call<Status>(endpoint, "maintenance/status", {}, timeout) };
      } catch (error) {
        return { endpoint, silence: messageOf(error), nowhere: isUnknownName(error), refusing: isRefusal(error) };
      }
    }),
  );
}

/** Asks for the member list, one after another, those that know a leader, until one can speak for the cluster. */
export async function askMembers(client: EtcdClient, seen: readonly Seen[], timeout: number): Promise<ClusterSaid> {
  const answered = seen.filter(({ status }) => status !== undefined);
  const refusals = answered
    .filter(({ status }) => status?.leader === undefined)
    .map(({ endpoint }) => `${endpoint}: knows no leader`);
  for (const { endpoint, status } of answered) {
    if (status?.leader === undefined) continue;
    try {
      const [list, alarms] = await Promise.all([
        agreedMembers(client, endpoint, timeout),
        client.call<{ alarms?: ClusterSaid["alarms"] }>(endpoint, "maintenance/alarm", { action: "GET" }, timeout),
      ]);
      return { quorum: true, list, alarms: alarms.alarms ?? [], refusals };
    } catch (error) {
      refusals.push(messageOf(error));
    }
  }
  for (const { endpoint } of answered) {
    try {
      const list = await client.call<MemberList>(endpoint, "cluster/member/list", {}, timeout);
      return { quorum: false, list, alarms: [], refusals };
    } catch (error) {
      refusals.push(messageOf(error));
    }
  }
  return { quorum: false, alarms: [], refusals };
}

/** The member list agreed on by a majority; never answered by a learner, nor without a majority. */
export const agreedMembers = (client: EtcdClient, endpoint: string, timeout: number): Promise<MemberList> =>
  client.call<MemberList>(endpoint, "cluster/member/list", { linearizable: true }, timeout);
