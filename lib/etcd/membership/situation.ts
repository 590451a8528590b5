import { aboutToAgreeOn, type EtcdVersionsNow } from "../../../spec/etcd/versions.ts";
import type { EtcdHealthReport } from "../health.ts";
import type { EtcdMember } from "../member.ts";
import type { MemberRun } from "../runtime/runtime.ts";

/** A member as it is declared. */
export interface DesiredMember {
  readonly name: string;
  readonly peerUrl: string;
  readonly clientUrl: string;
  /** Revision it is prepared with, see {@link MemberRun}. A member that runs another one is restarted. */
  readonly revision: string;
}

/** The cluster as it is declared. */
export interface Desired {
  /** Token of the cluster when it is first started. */
  readonly token: string;
  readonly members: readonly DesiredMember[];
  readonly version: string;
  /** A member whose number is higher than before is removed and added again, with empty data. */
  readonly replace: Readonly<Record<string, number>>;
  /** A database is defragmented when both are exceeded: the unused part, 0 to 1, and the size in bytes. */
  readonly defragment: { readonly fragmentation: number; readonly size: number };
  /** What to do with members that nobody declared and that do not run here. */
  readonly foreignMembers: "refuse" | "ignore" | "remove";
  /**
   * The cluster that the last restore made, hexadecimal: earlier members that still run as another one are fenced off.
   */
  readonly restored?: string;
}

/** What earlier runs noted. Live facts take precedence; this tells what has been done already and what was ours. */
export interface Known {
  /** Set once the cluster existed: it is never started as a new one again. */
  readonly clusterId?: string;
  readonly members: readonly KnownMember[];
  /** The number of the last replacement that was carried out, by member. */
  readonly replaced: Readonly<Record<string, number>>;
}

export interface KnownMember {
  readonly name: string;
  readonly clientUrl: string;
  /** Empty while unknown: a preview finds nothing of a member that moves to another host. */
  readonly token: string;
  readonly incarnation: number;
}

/** What etcd and the runtime say now. */
export interface Facts {
  readonly report: EtcdHealthReport;
  /** What the cluster has agreed on, `3.6.0`; empty while nobody says. */
  readonly clusterVersion: string;
  /** By name: every member that is declared, known or listed. */
  readonly runs: Readonly<Record<string, MemberRun>>;
}

/** The cluster alone: what its members say, without asking what runs them. */
export interface ClusterSeen {
  readonly facts: Pick<Facts, "report">;
  readonly desired: Desired;
}

/** Everything a decision is based on. */
export interface Situation {
  readonly facts: Facts;
  readonly desired: Desired;
  readonly known: Known;
}

/** How many entries a learner or a restarted member may be behind and still count as caught up. */
export const maxLag = 1000;

export const quorate = ({ facts }: Situation): boolean => facts.report.conditions.quorum;

export const voters = ({ facts }: Pick<ClusterSeen, "facts">): EtcdMember[] =>
  facts.report.members.filter(({ learner }) => !learner);

export const learners = ({ facts }: Situation): EtcdMember[] => facts.report.members.filter(({ learner }) => learner);

export const allVotersHealthy = (situation: Situation): boolean => voters(situation).every(({ healthy }) => healthy);

/** An alarm of a member that is gone counts too: etcd takes no writes because of it. */
export const full = ({ facts: { report } }: Pick<ClusterSeen, "facts">): boolean =>
  report.strayAlarms.some(({ alarm }) => alarm === "NOSPACE") ||
  report.members.some(({ alarms }) => alarms.includes("NOSPACE"));

/** What the voters run, and what the cluster has agreed on, or is about to. */
export function versionsNow(situation: Situation): EtcdVersionsNow {
  const { clusterVersion } = situation.facts;
  return {
    members: voters(situation).flatMap(({ version }) => version || []),
    cluster: risingTo(situation) ?? (clusterVersion || situation.desired.version),
  };
}

/** The version that the cluster is about to agree on; undefined while it may not, or the versions are not known. */
export function risingTo(situation: Pick<Situation, "facts">): string | undefined {
  const { clusterVersion: cluster, report } = situation.facts;
  const members = voters(situation).map(({ version }) => version);
  if (cluster === "" || members.includes("") || report.downgrade !== undefined) return undefined;
  return aboutToAgreeOn({ members, cluster });
}

const nothing: MemberRun = { running: false, incarnations: [] };

export const runOf = ({ facts }: Situation, name: string): MemberRun => facts.runs[name] ?? nothing;

/**
 * The declared member that an entry of the member list stands for. An entry without a name is recognised by its peer
 * URL.
 */
export function declared({ desired }: Pick<Situation, "desired">, entry: EtcdMember): DesiredMember | undefined {
  return desired.members.find(({ name, peerUrl }) =>
    entry.name === "" ? entry.peerUrls.includes(peerUrl) : entry.name === name,
  );
}

/** The entry of the member list that stands for a declared member. */
export const entryOf = (situation: Situation, member: DesiredMember): EtcdMember | undefined =>
  situation.facts.report.members.find((entry) => declared(situation, entry) === member);

/** What an entry is called here: its name, or that of the member it was added for. */
export const nameOf = (situation: Pick<Situation, "desired">, entry: EtcdMember): string =>
  entry.name || (declared(situation, entry)?.name ?? entry.id);

/** Whether the data it was last started with are there. */
export function hasData({ bootstrap, incarnations }: MemberRun): boolean {
  return bootstrap === undefined ? incarnations.length > 0 : incarnations.includes(bootstrap.incarnation);
}

/** It has served, so it voted or at least acknowledged entries; and now its data are gone. */
export const lostData = (situation: Situation, entry: EtcdMember): boolean =>
  entry.clientUrls.length > 0 && !hasData(runOf(situation, nameOf(situation, entry)));

/**
 * Whether a declared member is to be replaced and has not been yet. An interrupted run could not note that it did:
 * newer data of the same cluster are the proof. For a member that no run has noted, only missing data are replaced.
 */
export function replaceDue(situation: Situation, name: string): boolean {
  const { desired, known } = situation;
  if ((desired.replace[name] ?? 0) <= (known.replaced[name] ?? 0)) return false;
  const before = known.members.find((member) => member.name === name);
  const run = runOf(situation, name);
  if (before === undefined) return !hasData(run);
  const now = run.bootstrap;
  if (now === undefined || now.incarnation <= before.incarnation) return true;
  return before.token !== "" && now.token !== before.token;
}

/** Whether an entry of the member list stands for a declared member that is to be replaced. */
export const toBeReplaced = (situation: Situation, entry: EtcdMember): boolean =>
  declared(situation, entry) !== undefined && replaceDue(situation, nameOf(situation, entry));

/** Neither declared, nor run here, nor ever known to be ours. */
export function foreign(situation: Situation, entry: EtcdMember): boolean {
  if (declared(situation, entry) !== undefined || entry.name === "") return false;
  const { running, bootstrap, incarnations } = runOf(situation, entry.name);
  const known = situation.known.members.some(({ name }) => name === entry.name);
  return !known && !running && bootstrap === undefined && incarnations.length === 0;
}

/** An entry that has to go: no longer declared, or never declared and to be removed. */
export function surplus(situation: Situation, entry: EtcdMember): boolean {
  if (declared(situation, entry) !== undefined) return false;
  return !foreign(situation, entry) || situation.desired.foreignMembers === "remove";
}

/**
 * The endpoints belong to another cluster than the known one, and it was not made by a restore of ours, which would
 * have changed the token.
 */
export function otherCluster({ facts, known, desired }: Situation): boolean {
  const { clusterId } = facts.report;
  if (clusterId === desired.restored) return false;
  if (known.clusterId === undefined || clusterId === "" || clusterId === known.clusterId) return false;
  return !known.members.some(({ name, token }) => {
    const now = facts.runs[name]?.bootstrap?.token;
    return now !== undefined && now !== token;
  });
}

/** Whether a database of this size, with so much of it in use, is to be defragmented. */
export const wasteful = ({ defragment }: Pick<Desired, "defragment">, dbSize: number, fragmentation: number): boolean =>
  dbSize >= defragment.size && fragmentation >= defragment.fragmentation;

/** Number of the directory for new data: one that was never used. */
export function nextIncarnation(situation: Situation, name: string): number {
  const { bootstrap, incarnations } = runOf(situation, name);
  const before = situation.known.members.find((member) => member.name === name)?.incarnation ?? 0;
  return 1 + Math.max(0, before, bootstrap?.incarnation ?? 0, ...incarnations);
}
