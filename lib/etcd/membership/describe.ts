import { majority } from "../conditions.ts";
import type { EtcdMember } from "../member.ts";
import { strayInWords } from "../stray-alarm.ts";
import { maxLag, nameOf, runOf, voters, type Situation } from "./situation.ts";
import type { Step } from "./steps.ts";
import { roughSize } from "../../size.ts";
import { losses } from "./summary.ts";

/** A step in a sentence for the operator. */
export function describe(step: Step, situation: Situation): string {
  const { desired } = situation;
  const count = voters(situation).length;
  switch (step.kind) {
    case "bootstrap":
      return `start ${list(step.members)} as a new cluster of etcd ${desired.version}; tolerates ${tolerated(desired.members.length)}`;
    case "start":
      return starting(step.members, situation);
    case "wait":
      return `wait until ${step.member === undefined ? "a majority answers" : `${step.member} is well: ${entry(situation, step.member)?.problem ?? "it is not"}`}`;
    case "add":
      return `add ${step.member} at ${peerUrl(situation, step.member)} as a learner with empty data, start it, make it a voter when it is at most ${maxLag} entries behind; then ${count + 1} voters, tolerates ${tolerated(count + 1)}`;
    case "join":
      return `start the learner ${step.member}`;
    case "promote":
      return `make the learner ${step.member} a voter when it is at most ${maxLag} entries behind`;
    case "remove":
      return removal(step, situation);
    case "retire":
      return `end what is left of ${step.member} and put its data aside`;
    case "restart":
      return `restart ${step.member}${how(situation, step.member)}`;
    case "readdress":
      return `move ${step.member} to ${peerUrl(situation, step.member)} and restart it${how(situation, step.member)}`;
    case "allow-downgrade":
      return `have etcd store everything as ${step.minor} does; until all run it, the version can only go there or back`;
    case "cancel-downgrade":
      return "call off the way to a lower version";
    case "disarm":
      return `end the ${strayInWords(step)}, for which etcd refuses all writes`;
    case "reclaim":
      return `the database ${fullness(situation)}: compact it to its newest revision, defragment every member, the leader last, and let it take writes again`;
    case "defragment":
      return defragmentation(entry(situation, step.member), step.member);
  }
}

function starting(members: readonly string[], situation: Situation): string {
  const ended = members.filter((name) => !runOf(situation, name).running);
  const refusing = members.filter((name) => !ended.includes(name));
  return [
    ...(ended.length > 0 ? [`start ${list(ended)} again, on the data there`] : []),
    ...(refusing.length > 0 ? [`restart ${list(refusing)}: they keep to earlier certificates, and refuse us`] : []),
  ].join(", and ");
}

function removal({ member, id, why }: Step & { kind: "remove" }, situation: Situation): string {
  const gone = situation.facts.report.members.find((each) => each.id === id);
  const left = voters(situation).filter((each) => each.id !== id).length;
  const handed = gone?.leader ? "hand leadership to another, " : "";
  const then = gone?.learner ? "" : `; then ${left} voter${left === 1 ? "" : "s"}, tolerates ${tolerated(left)}`;
  return `${handed}remove ${member} (${why}), end it and put its data aside${then}`;
}

/** What a restart changes, and what it means for clients. */
function how(situation: Situation, name: string): string {
  const before = entry(situation, name);
  const count = voters(situation).length;
  const { version } = situation.desired;
  const role =
    count === 1 ? "the only voter: clients wait meanwhile" : before?.leader ? "leader, hands over first" : "";
  const state = before?.healthy === false ? `not well: ${before.problem}` : role;
  const versions =
    before && before.version !== "" && before.version !== version ? `: etcd ${before.version} to ${version}` : "";
  return `${versions}${state === "" ? "" : ` (${state})`}`;
}

/** Whether a present member reports it, or only one that is gone did: then nobody knows until there is room. */
function fullness({ facts: { report } }: Situation): string {
  const stray = report.strayAlarms.find(({ alarm }) => alarm === "NOSPACE");
  const own = report.members.some(({ alarms }) => alarms.includes("NOSPACE"));
  return own || stray === undefined ? "is full" : `counts as full (${strayInWords(stray)})`;
}

function defragmentation(member: EtcdMember | undefined, name: string): string {
  const unused = Math.round((member?.fragmentation ?? 0) * 10) * 10;
  return `defragment ${name} (${unused}% of ${roughSize(member?.dbSize ?? 0)} unused)`;
}

const tolerated = (count: number) => losses(count - majority(count));

const peerUrl = ({ desired }: Situation, name: string) =>
  desired.members.find((member) => member.name === name)?.peerUrl;

const entry = (situation: Situation, name: string) =>
  situation.facts.report.members.find((each) => nameOf(situation, each) === name);

const list = (names: readonly string[]) =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
