import { judge } from "../conditions.ts";
import type { EtcdMember } from "../member.ts";
import type { MemberRun } from "../runtime/runtime.ts";
import type { StrayAlarm } from "../stray-alarm.ts";
import { bootstrapOf, firstBootstrap } from "./bootstrap.ts";
import { nameOf, nextIncarnation, runOf, type Facts, type Situation } from "./situation.ts";
import type { Step } from "./steps.ts";

/** The facts after a successful step. */
export function predict(situation: Situation, step: Step): Facts {
  switch (step.kind) {
    case "bootstrap":
      return bootstrapped(situation);
    case "start":
      return step.members.reduce((facts, name) => running({ ...situation, facts }, name), situation.facts);
    case "wait":
      return changed(situation, (entry) =>
        step.member === undefined || nameOf(situation, entry) === step.member ? served(entry) : entry,
      );
    case "add":
      return added(situation, step.member);
    case "join":
      return running(situation, step.member);
    case "promote":
      return changed(situation, (entry) =>
        nameOf(situation, entry) === step.member ? { ...served(entry), learner: false, role: "follower" } : entry,
      );
    case "remove":
      return retired({ ...situation, facts: without(situation, step.id) }, step.member);
    case "retire":
      return retired(situation, step.member);
    case "restart":
    case "readdress":
      return running(situation, step.member);
    case "allow-downgrade": {
      const version = `${step.minor}.0`;
      const facts = changed(situation, (entry) => ({ ...entry, storageVersion: version }));
      return { ...facts, clusterVersion: version, report: { ...facts.report, downgrade: version } };
    }
    case "cancel-downgrade": {
      return { ...situation.facts, report: omit(situation.facts.report, "downgrade") };
    }
    case "disarm": {
      const { report } = situation.facts;
      const left = report.strayAlarms.filter(({ id, alarm }) => id !== step.id || alarm !== step.alarm);
      return withMembers(situation.facts, report.members, left);
    }
    case "reclaim":
      return withRoom(situation);
    case "defragment":
      return changed(situation, (entry) => (nameOf(situation, entry) === step.member ? defragmented(entry) : entry));
  }
}

function bootstrapped({ facts, desired }: Situation): Facts {
  const bootstrap = firstBootstrap(desired);
  const members = desired.members.map(({ name, peerUrl, clientUrl }, i): EtcdMember => ({
    ...blank,
    name,
    id: name,
    peerUrls: [peerUrl],
    clientUrls: [clientUrl],
    version: desired.version,
    leader: i === 0,
    role: i === 0 ? "leader" : "follower",
  }));
  const runs = desired.members.map(({ name, revision }) => [
    name,
    { running: true, revision, prepared: revision, bootstrap, incarnations: [bootstrap.incarnation] },
  ]);
  return {
    clusterVersion: desired.version,
    report: {
      ...facts.report,
      clusterId: "new",
      members,
      strayAlarms: [],
      ...judge({ members, strayAlarms: [], quorum: true, clusterIds: ["new"] }),
    },
    runs: { ...facts.runs, ...Object.fromEntries(runs) },
  };
}

/** The member runs as prepared, on the data it has or on new ones. */
function running(situation: Situation, name: string): Facts {
  const { desired, facts } = situation;
  const wanted = desired.members.find((member) => member.name === name);
  const before = runOf(situation, name);
  const bootstrap = bootstrapOf(situation, name);
  const revision = wanted?.revision ?? before.revision;
  const run: MemberRun = {
    running: true,
    ...(revision !== undefined && { revision, prepared: revision }),
    bootstrap,
    incarnations: [...new Set([...before.incarnations, bootstrap.incarnation])],
  };
  const next = changed(situation, (entry) => {
    if (nameOf(situation, entry) !== name) return entry;
    const peerUrls = wanted === undefined || entry.learner ? entry.peerUrls : [wanted.peerUrl];
    const clientUrls = wanted === undefined ? entry.clientUrls : [wanted.clientUrl];
    const version = wanted === undefined ? entry.version : desired.version;
    return { ...served(entry), name, peerUrls, clientUrls, version };
  });
  return { ...next, runs: { ...facts.runs, [name]: run } };
}

function added(situation: Situation, name: string): Facts {
  const { facts, desired } = situation;
  const wanted = desired.members.find((member) => member.name === name);
  const id = `${name}#${nextIncarnation(situation, name)}`;
  const entry: EtcdMember = {
    ...blank,
    id,
    name: "",
    peerUrls: [wanted?.peerUrl ?? ""],
    clientUrls: [],
    learner: true,
  };
  return withMembers(facts, [...facts.report.members, { ...entry, healthy: false, role: "unknown" }]);
}

/** Its entry is gone, and its alarms are left behind; if it was the leader, another one is. */
function without({ facts }: Situation, id: string): Facts {
  const alarms = facts.report.members.find((entry) => entry.id === id)?.alarms ?? [];
  const members = facts.report.members.filter((entry) => entry.id !== id);
  const led = members.some(({ leader }) => leader);
  const next = members.find(({ learner, healthy }) => !learner && healthy);
  return withMembers(
    facts,
    members.map((entry) => (!led && entry === next ? { ...entry, leader: true, role: "leader" } : entry)),
    [...facts.report.strayAlarms, ...alarms.map((alarm) => ({ id, alarm }))],
  );
}

function retired(situation: Situation, name: string): Facts {
  const run: MemberRun = { ...omit(runOf(situation, name), "revision"), running: false, incarnations: [] };
  return { ...situation.facts, runs: { ...situation.facts.runs, [name]: run } };
}

function withRoom({ facts }: Situation): Facts {
  const { members, strayAlarms } = facts.report;
  const other = (alarm: string) => alarm !== "NOSPACE";
  return withMembers(
    facts,
    members.map((entry) => ({ ...defragmented(entry), alarms: entry.alarms.filter(other) })),
    strayAlarms.filter(({ alarm }) => other(alarm)),
  );
}

function changed({ facts }: Situation, change: (entry: EtcdMember) => EtcdMember): Facts {
  return withMembers(facts, facts.report.members.map(change));
}

/** With the conditions that follow from the members; quorum is assumed when a majority answers. */
function withMembers(facts: Facts, members: EtcdMember[], strayAlarms: StrayAlarm[] = facts.report.strayAlarms): Facts {
  const voters = members.filter(({ learner }) => !learner);
  const quorum = voters.filter(({ healthy }) => healthy).length > voters.length / 2;
  const judged = judge({ members, strayAlarms, quorum, clusterIds: [facts.report.clusterId] });
  const versions = new Set(voters.map(({ version }) => version));
  const [only] = versions.size === 1 ? versions : [];
  const report = { ...facts.report, ...judged, members, strayAlarms };
  return { ...facts, clusterVersion: only || facts.clusterVersion, report };
}

function served(entry: EtcdMember): EtcdMember {
  const role = entry.learner ? "learner" : entry.leader ? "leader" : "follower";
  return { ...omit(entry, "problem"), healthy: true, lag: 0, role };
}

const omit = <T extends object, K extends keyof T>(value: T, name: K): Omit<T, K> =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)) as Omit<T, K>;

const defragmented = (entry: EtcdMember): EtcdMember => ({ ...entry, dbSize: entry.dbSizeInUse, fragmentation: 0 });

const blank: EtcdMember = {
  name: "",
  id: "",
  clientUrls: [],
  peerUrls: [],
  learner: false,
  role: "follower",
  healthy: true,
  version: "",
  storageVersion: "",
  leader: false,
  raftIndex: 0,
  raftAppliedIndex: 0,
  lag: 0,
  dbSize: 0,
  dbSizeInUse: 0,
  dbSizeQuota: 0,
  fragmentation: 0,
  alarms: [],
};
