import type { EtcdMember } from "./member.ts";
import type { StrayAlarm } from "./stray-alarm.ts";

/**
 * The state of a cluster, the worst first. Unreachable is not NoQuorum: nobody answered, so nothing is known, and that
 * justifies no restore.
 */
export type EtcdState =
  | "Unreachable"
  /** Endpoints belong to different clusters. */
  | "Diverged"
  | "NoQuorum"
  | "Corrupt"
  | "NoSpace"
  /** Members run different versions. */
  | "Upgrading"
  /** A member is not healthy, or one more loss than is usual would stop writes. */
  | "Degraded"
  | "Healthy";

/** Each true when all is well. */
export interface EtcdConditions {
  /** A majority answers: the cluster serves reads and writes. */
  readonly quorum: boolean;
  /** Every endpoint that answered is of the same cluster. */
  readonly oneCluster: boolean;
  readonly allHealthy: boolean;
  /** One voter may be lost; always false with a single one. */
  readonly faultTolerant: boolean;
  readonly oneVersion: boolean;
  /** No learner is on its way to become a voter. */
  readonly allVoters: boolean;
  /** No member has an alarm, and none is left of a member that is gone. */
  readonly noAlarm: boolean;
}

/** What the state of a cluster is derived from. */
export interface Evidence {
  readonly members: readonly EtcdMember[];
  readonly strayAlarms: readonly StrayAlarm[];
  readonly quorum: boolean;
  readonly clusterIds: readonly string[];
}

/** The state of a cluster by the evidence, and how many more voters it can lose. */
export function judge(evidence: Evidence): {
  state: EtcdState;
  conditions: EtcdConditions;
  tolerates: number;
} {
  const { members, strayAlarms, quorum, clusterIds } = evidence;
  const voters = members.filter(({ learner }) => !learner);
  const tolerates = quorum ? spare(voters.length, voters.filter(({ healthy }) => healthy).length) : 0;
  const conditions = {
    quorum,
    oneCluster: clusterIds.length <= 1,
    allHealthy: members.length > 0 && members.every(({ healthy }) => healthy),
    faultTolerant: tolerates > 0,
    oneVersion: new Set(members.flatMap(({ version }) => version || [])).size <= 1,
    allVoters: voters.length === members.length,
    noAlarm: strayAlarms.length === 0 && members.every(({ alarms }) => alarms.length === 0),
  };
  return { state: stateOf(conditions, evidence), conditions, tolerates };
}

/** How many must agree: more than half. */
export const majority = (voters: number): number => Math.floor(voters / 2) + 1;

/** How many healthy voters may be lost. */
export const spare = (voters: number, healthy: number): number => Math.max(0, healthy - majority(voters));

function stateOf(conditions: EtcdConditions, { members, strayAlarms, clusterIds }: Evidence): EtcdState {
  const alarm = (name: string) =>
    strayAlarms.some((stray) => stray.alarm === name) || members.some(({ alarms }) => alarms.includes(name));
  if (clusterIds.length === 0) return "Unreachable";
  if (!conditions.oneCluster) return "Diverged";
  if (!conditions.quorum) return "NoQuorum";
  if (alarm("CORRUPT")) return "Corrupt";
  if (alarm("NOSPACE")) return "NoSpace";
  if (!conditions.oneVersion) return "Upgrading";
  return conditions.allHealthy ? "Healthy" : "Degraded";
}
