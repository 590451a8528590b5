import { judge } from "../../../../lib/etcd/conditions.ts";
import type { EtcdMember } from "../../../../lib/etcd/member.ts";
import type { Desired, Facts, Situation } from "../../../../lib/etcd/membership/situation.ts";
import type { MemberRun } from "../../../../lib/etcd/runtime/runtime.ts";
import type { StrayAlarm } from "../../../../lib/etcd/stray-alarm.ts";

export const peerUrl = (name: string, port = 2380) => `https://${name}:${port}`;
export const clientUrl = (name: string) => `https://${name}:2379`;

/** A member that runs well as revision `a`. */
export function member(name: string, more: Partial<EtcdMember> = {}): EtcdMember {
  const learner = more.learner ?? false;
  return {
    name,
    id: `id-${name}`,
    clientUrls: [clientUrl(name)],
    peerUrls: [peerUrl(name)],
    learner,
    role: learner ? "learner" : more.leader ? "leader" : "follower",
    healthy: more.problem === undefined,
    endpoint: clientUrl(name),
    version: "3.6.6",
    storageVersion: "3.6.0",
    leader: false,
    raftIndex: 100,
    raftAppliedIndex: 100,
    lag: 0,
    dbSize: 2 ** 20,
    dbSizeInUse: 2 ** 20,
    dbSizeQuota: 2 ** 33,
    fragmentation: 0,
    alarms: [],
    ...more,
  };
}

export function run(more: Partial<MemberRun> = {}): MemberRun {
  const bootstrap = { token: "t", state: "new", initialCluster: "", incarnation: 1 } as const;
  return { running: true, revision: "a", prepared: "a", bootstrap, incarnations: [1], ...more };
}

/** Facts of a cluster of these members. */
export function facts(
  members: EtcdMember[],
  runs: Record<string, MemberRun> = {},
  more: Partial<Facts> = {},
  strayAlarms: StrayAlarm[] = [],
): Facts {
  const voters = members.filter(({ learner }) => !learner);
  const quorum = voters.filter(({ healthy }) => healthy).length > voters.length / 2;
  const clusterIds = members.length === 0 ? [] : ["c"];
  return {
    report: {
      clusterId: clusterIds[0] ?? "",
      ...judge({ members, strayAlarms, quorum, clusterIds }),
      revision: "7",
      members,
      strayAlarms,
      silent: [],
      refusing: [],
    },
    clusterVersion: "3.6.0",
    runs: { ...Object.fromEntries(members.flatMap(({ name }) => (name === "" ? [] : [[name, run()]]))), ...runs },
    ...more,
  };
}

export function desired(names: readonly string[], more: Partial<Desired> = {}): Desired {
  return {
    token: "t",
    members: names.map((name) => ({ name, peerUrl: peerUrl(name), clientUrl: clientUrl(name), revision: "a" })),
    version: "3.6.6",
    replace: {},
    defragment: { fragmentation: 0.45, size: 100 * 2 ** 20 },
    foreignMembers: "refuse",
    ...more,
  };
}

/** As noted by a run that saw the cluster well. */
export const knownOf = (names: readonly string[]): Situation["known"] => ({
  clusterId: "c",
  members: names.map((name) => ({ name, clientUrl: clientUrl(name), token: "t", incarnation: 1 })),
  replaced: {},
});

/** `etcd-0` leads. */
export const cluster = (size: number): EtcdMember[] =>
  Array.from({ length: size }, (_, i) => member(`etcd-${i}`, { leader: i === 0 }));

export const names = (size: number): string[] => Array.from({ length: size }, (_, i) => `etcd-${i}`);

/** A healthy cluster of `size`, and what is declared of it. */
export function situation(size: number, wanted: Desired, change: Partial<Facts> = {}): Situation {
  return { facts: { ...facts(cluster(size)), ...change }, desired: wanted, known: knownOf(names(size)) };
}
