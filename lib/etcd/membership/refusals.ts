import { etcdMinor, etcdVersionChange, etcdVersionProblem } from "../../../spec/etcd/versions.ts";
import { replaceIt } from "./replace-it.ts";
import { ofNobody, strayInWords } from "../stray-alarm.ts";
import {
  declared,
  entryOf,
  foreign,
  hasData,
  lostData,
  nameOf,
  otherCluster,
  quorate,
  replaceDue,
  runOf,
  surplus,
  toBeReplaced,
  versionsNow,
  voters,
  type Situation,
} from "./situation.ts";
import { isNew } from "./without-quorum.ts";

/** Something that is refused, and what to set if it is intended. */
export interface Refusal {
  /** The input it is about. */
  readonly property: string;
  readonly reason: string;
}

/**
 * What would lose a majority or data, or cannot be known to be safe. Checked before the first step and between steps:
 * with any refusal, nothing is done.
 */
export function refusals(situation: Situation): Refusal[] {
  const { state } = situation.facts.report;
  if (state === "Diverged") return diverged(situation);
  if (otherCluster(situation)) return strangers(situation);
  if (!quorate(situation)) return withoutMajority(situation);
  return [
    ...corrupt(situation),
    ...corruptSomewhere(situation),
    ...foreigners(situation),
    ...addresses(situation),
    ...wiped(situation),
    ...onlyVoter(situation),
    ...versions(situation),
  ];
}

function diverged({ facts }: Situation): Refusal[] {
  const reason = `the endpoints belong to different clusters (${facts.report.silent.join("; ") || "by their cluster IDs"}); stop the ones that are not ours`;
  return [{ property: "members", reason }];
}

function strangers({ facts, known }: Situation): Refusal[] {
  const reason = `the endpoints belong to the cluster ${facts.report.clusterId}, ours is ${known.clusterId}; give the endpoints of ours`;
  return [{ property: "members", reason }];
}

function withoutMajority(situation: Situation): Refusal[] {
  const { facts, known, desired } = situation;
  const { report, runs } = facts;
  const names = [...new Set([...desired.members, ...known.members].map(({ name }) => name))];
  const wipedOut = names.filter((name) => !hasData(runOf(situation, name)));
  if (known.clusterId !== undefined && Object.values(runs).every((run) => !hasData(run))) {
    return [
      {
        property: "members",
        reason: `the data of every member are gone (${wipedOut.join(", ")}); restore a snapshot: ${restore}`,
      },
    ];
  }
  const startable = Object.values(runs).some((run) => !run.running && hasData(run));
  if (startable || isNew(situation)) return [];
  const lost = report.members.filter((entry) => !entry.learner && lostData(situation, entry));
  if (lost.length * 2 < voters(situation).length || lost.length === 0) return halfStarted(situation);
  const gone = lost.map((entry) => nameOf(situation, entry)).join(", ");
  const reason = `${lost.length} of ${voters(situation).length} voters have lost their data (${gone}): without a majority no member can be replaced; ${restore}`;
  return [{ property: "members", reason }];
}

const restore = "the restore program starts a cluster from a snapshot, also from one of a member that is left";

/** An interrupted first start must continue with the members it had. */
function halfStarted(situation: Situation): Refusal[] {
  if (
    situation.known.clusterId !== undefined ||
    situation.facts.report.members.some(({ clientUrls }) => clientUrls.length > 0)
  )
    return [];
  const begun = Object.values(situation.facts.runs).find(({ bootstrap }) => bootstrap?.state === "new")?.bootstrap;
  if (begun === undefined || isNew(situation)) return [];
  const reason = `the cluster was being started for the first time with ${begun.initialCluster}; bring that to its end before its members change`;
  return [{ property: "members", reason }];
}

function corrupt(situation: Situation): Refusal[] {
  return situation.facts.report.members
    .filter((entry) => entry.alarms.includes("CORRUPT") && !toBeReplaced(situation, entry))
    .map((entry) => ({
      property: "members",
      reason: `${nameOf(situation, entry)}: its data differ from the others' (alarm CORRUPT); ${replaceIt(situation, nameOf(situation, entry))}`,
    }));
}

/** Nobody knows which member to replace: picking a sound one would lose the last correct data. */
function corruptSomewhere({ facts }: Situation): Refusal[] {
  return facts.report.strayAlarms
    .filter(({ id, alarm }) => id === ofNobody && alarm === "CORRUPT")
    .map((stray) => ({
      property: "members",
      reason: `the members' data differ, and etcd does not tell whose are wrong (${strayInWords(stray)}), so none can be replaced; set etcd.restore to a snapshot from before, or to the member whose data you trust: {kind: member}`,
    }));
}

function foreigners(situation: Situation): Refusal[] {
  if (situation.desired.foreignMembers !== "refuse") return [];
  return situation.facts.report.members
    .filter((entry) => foreign(situation, entry))
    .map((entry) => ({
      property: "members",
      reason: `${entry.name} at ${entry.peerUrls.join(", ")} is a member that nobody declared and that does not run here; declare it, or set foreignMembers to "ignore" or "remove"`,
    }));
}

/** A member is known by its name. */
function addresses(situation: Situation): Refusal[] {
  return situation.desired.members.flatMap(({ name, peerUrl }) => {
    const holder = situation.facts.report.members.find((entry) => entry.peerUrls.includes(peerUrl));
    if (holder === undefined || holder.name === "" || holder.name === name) return [];
    const reason = `${peerUrl} is the address of ${holder.name}, so ${name} cannot have it; keep the name, or give ${name} another address`;
    return [{ property: "members", reason }];
  });
}

function wiped(situation: Situation): Refusal[] {
  return voters(situation)
    .filter((entry) => lostData(situation, entry) && declared(situation, entry) !== undefined)
    .filter((entry) => !toBeReplaced(situation, entry))
    .map((entry) => ({
      property: "replace",
      reason: `${nameOf(situation, entry)}: its data are gone; it must not come back under its old identity: ${replaceIt(situation, nameOf(situation, entry))}`,
    }));
}

/** Taking away the only member that has the data. */
function onlyVoter(situation: Situation): Refusal[] {
  const all = voters(situation);
  const staying = all.filter((entry) => !surplus(situation, entry) && !toBeReplaced(situation, entry));
  const joining = situation.desired.members.some((member) => entryOf(situation, member) === undefined);
  const [only] = all;
  if (only === undefined || all.length > 1 || staying.length > 0 || joining) return [];
  const reason = `${nameOf(situation, only)} is the only voter, replacing it would lose all data; declare more members first, or restore a snapshot`;
  return [{ property: "replace", reason }];
}

function versions(situation: Situation): Refusal[] {
  const { desired, facts } = situation;
  const now = versionsNow(situation);
  const problem = etcdVersionProblem(now, desired.version);
  if (problem !== undefined) return [{ property: "version", reason: problem }];
  const change = etcdVersionChange(now, desired.version);
  if (change !== "upgrade" && change !== "downgrade") return [];
  // For some seconds after the last member's restart the cluster still reports its previous version.
  if (now.members.every((each) => etcdMinor(each) === etcdMinor(desired.version))) return [];
  if (facts.report.state === "NoSpace") {
    return [
      {
        property: "version",
        reason: "the database is full (alarm NOSPACE); let it have room before the version changes",
      },
    ];
  }
  const moving = desired.members.some(
    (member) => entryOf(situation, member) === undefined && !replaceDue(situation, member.name),
  );
  const leaving = voters(situation).some((entry) => surplus(situation, entry));
  if (!moving && !leaving) return [];
  return [
    {
      property: "version",
      reason: `the members and the minor version change together; change to ${desired.version} first, then the members`,
    },
  ];
}
