import { etcdMinor, etcdVersionChange } from "../../../spec/etcd/versions.ts";
import { spare } from "../conditions.ts";
import type { EtcdMember } from "../member.ts";
import { ofNobody } from "../stray-alarm.ts";
import {
  allVotersHealthy,
  declared,
  entryOf,
  full,
  learners,
  lostData,
  nameOf,
  quorate,
  replaceDue,
  runOf,
  surplus,
  toBeReplaced,
  versionsNow,
  voters,
  wasteful,
  type Situation,
} from "./situation.ts";
import type { Step } from "./steps.ts";
import { type Rule, withoutQuorum } from "./without-quorum.ts";

/**
 * The next step from here; none when all is as declared. Whatever was begun is finished first, dead members come before
 * live ones, and what makes the cluster stronger before what makes it weaker. So at most one membership change is ever
 * under way, and no step loses the majority.
 */
export function nextStep(situation: Situation): Step | undefined {
  for (const rule of quorate(situation) ? rules : withoutQuorum) {
    const step = rule(situation);
    if (step !== undefined) return step;
  }
  return undefined;
}

const rules: readonly Rule[] = [
  disarm,
  startEnded,
  finishLearner,
  removeDead,
  restartUnready,
  waitForUnready,
  retireLeftover,
  settleDowngrade,
  restartWhileSafe,
  reclaim,
  add,
  restart,
  replace,
  remove,
  defragment,
];

/**
 * Before all else, since there are no writes until then. The member with the wrong data is gone, and so are they; where
 * etcd does not know whose data are wrong, it is refused.
 */
function disarm({ facts }: Situation): Step | undefined {
  const stray = facts.report.strayAlarms.find(({ id, alarm }) => alarm === "CORRUPT" && id !== ofNobody);
  return stray && { kind: "disarm", ...stray };
}

/** Voters that have stopped and should run. One that never served belongs to an interrupted first start. */
function startEnded(situation: Situation): Step | undefined {
  const ended = voters(situation)
    .filter((entry) => declared(situation, entry) !== undefined && !replaceDue(situation, nameOf(situation, entry)))
    .filter((entry) => !runOf(situation, nameOf(situation, entry)).running && !lostData(situation, entry))
    .map((entry) => nameOf(situation, entry));
  return ended.length > 0 ? { kind: "start", members: ended } : undefined;
}

function finishLearner(situation: Situation): Step | undefined {
  const [learner] = learners(situation);
  if (learner === undefined) return undefined;
  const wanted = declared(situation, learner);
  const member = nameOf(situation, learner);
  const removed = (why: string): Step => ({ kind: "remove", member, id: learner.id, why });
  if (wanted === undefined) {
    const ignored = learner.name !== "" && !surplus(situation, learner);
    return ignored ? { kind: "wait", member } : removed("a learner that is not declared");
  }
  // Changing a learner's address would make etcd promote it.
  if (!learner.peerUrls.includes(wanted.peerUrl)) return removed("a learner under another address");
  if (lostData(situation, learner)) return removed("a learner without data");
  return { kind: runOf(situation, member).running ? "promote" : "join", member };
}

function removeDead(situation: Situation): Step | undefined {
  const gone = voters(situation).find(
    (entry) => !entry.healthy && (surplus(situation, entry) || toBeReplaced(situation, entry)),
  );
  return gone && removal(situation, gone);
}

function restartUnready(situation: Situation): Step | undefined {
  const unready = voters(situation).find((entry) => !entry.healthy && outdated(situation, entry));
  return unready && renewal(situation, unready);
}

function waitForUnready(situation: Situation): Step | undefined {
  const unready = voters(situation).find(({ healthy }) => !healthy);
  return unready && { kind: "wait", member: nameOf(situation, unready) };
}

/** What still runs or lies around of members that are not on the list. */
function retireLeftover(situation: Situation): Step | undefined {
  const listed = new Set(situation.facts.report.members.map((entry) => nameOf(situation, entry)));
  const left = Object.entries(situation.facts.runs).find(
    ([name, { running, incarnations }]) => !listed.has(name) && (running || incarnations.length > 0),
  );
  return left && { kind: "retire", member: left[0] };
}

function settleDowngrade(situation: Situation): Step | undefined {
  const { desired, facts } = situation;
  const minor = etcdMinor(desired.version);
  const { downgrade } = facts.report;
  const down = etcdVersionChange(versionsNow(situation), desired.version) === "downgrade";
  if (downgrade !== undefined && etcdMinor(downgrade) !== minor) return { kind: "cancel-downgrade" };
  if (downgrade === undefined && !down) return undefined;
  const stored = voters(situation).every(
    ({ version, storageVersion }) =>
      etcdMinor(version) === minor || (storageVersion && etcdMinor(storageVersion) === minor),
  );
  return downgrade !== undefined && stored ? undefined : { kind: "allow-downgrade", minor };
}

/**
 * Writes survive the loss of a voter for a moment; or there are none anyway, since the database is full, and a larger
 * quota may be the remedy.
 */
function restartWhileSafe(situation: Situation): Step | undefined {
  const count = voters(situation).length;
  return spare(count, count) > 0 || full(situation) ? restart(situation) : undefined;
}

/** Not while a member counts as corrupt: it is replaced first, and until then etcd refuses to compact. */
function reclaim(situation: Situation): Step | undefined {
  const corrupt = situation.facts.report.members.some(({ alarms }) => alarms.includes("CORRUPT"));
  return full(situation) && !corrupt ? { kind: "reclaim" } : undefined;
}

function add(situation: Situation): Step | undefined {
  const missing = situation.desired.members.find((member) => entryOf(situation, member) === undefined);
  return missing && { kind: "add", member: missing.name };
}

function restart(situation: Situation): Step | undefined {
  const [first] = leaderLast(voters(situation).filter((entry) => outdated(situation, entry)));
  return first && renewal(situation, first);
}

function replace(situation: Situation): Step | undefined {
  const [first] = leaderLast(voters(situation).filter((entry) => toBeReplaced(situation, entry)));
  return first && removal(situation, first);
}

function remove(situation: Situation): Step | undefined {
  const [first] = leaderLast(
    voters(situation)
      .filter((entry) => surplus(situation, entry))
      .reverse(),
  );
  return first && removal(situation, first);
}

function defragment(situation: Situation): Step | undefined {
  const [first] = leaderLast(
    voters(situation).filter(({ dbSize, fragmentation }) => wasteful(situation.desired, dbSize, fragmentation)),
  );
  return first && allVotersHealthy(situation) ? { kind: "defragment", member: nameOf(situation, first) } : undefined;
}

/**
 * Runs another revision than declared, or under another peer URL. One that is to be replaced does not: started where its
 * data are not, as on another host, it would come back without them under its old identity.
 */
function outdated(situation: Situation, entry: EtcdMember): boolean {
  const wanted = declared(situation, entry);
  if (wanted === undefined || replaceDue(situation, wanted.name)) return false;
  return moved(situation, entry) || runOf(situation, wanted.name).revision !== wanted.revision;
}

function moved(situation: Situation, entry: EtcdMember): boolean {
  const wanted = declared(situation, entry);
  return wanted !== undefined && entry.peerUrls.join() !== wanted.peerUrl;
}

const renewal = (situation: Situation, entry: EtcdMember): Step => ({
  kind: moved(situation, entry) ? "readdress" : "restart",
  member: nameOf(situation, entry),
});

function removal(situation: Situation, entry: EtcdMember): Step {
  const why = toBeReplaced(situation, entry) ? "to be replaced" : "not declared any more";
  return { kind: "remove", member: nameOf(situation, entry), id: entry.id, why };
}

/** When they stop one after another, no election is needed before the last. */
const leaderLast = (members: readonly EtcdMember[]): EtcdMember[] =>
  [...members].sort((a, b) => Number(a.leader) - Number(b.leader));
