import { hasData, nameOf, otherCluster, quorate, replaceDue, runOf, type Known, type Situation } from "./situation.ts";

/** A member at the end of a run. */
export interface MemberOutcome {
  readonly name: string;
  /** Hexadecimal. */
  readonly id: string;
  readonly peerUrl: string;
  readonly clientUrl: string;
  readonly role: "voter" | "learner";
  readonly version: string;
  readonly revision: string;
  /** Number of its data directory. */
  readonly incarnation: number;
}

/** The outcome of a run, and what the next one has to know. */
export interface Outcome {
  readonly members: readonly MemberOutcome[];
  /** Highest revision seen, decimal: a restore has to go beyond it. */
  readonly lastSeenRevision: string;
  readonly known: Known;
}

/** What the state keeps of the cluster once all steps are done. */
export function outcomeOf(situation: Situation): Outcome {
  const { facts, desired, known } = situation;
  const members = facts.report.members.map((entry): MemberOutcome => {
    const name = nameOf(situation, entry);
    const run = runOf(situation, name);
    return {
      name,
      id: entry.id,
      peerUrl: entry.peerUrls.join(),
      clientUrl: entry.clientUrls.join(),
      role: entry.learner ? "learner" : "voter",
      version: entry.version,
      revision: run.revision ?? "",
      incarnation: run.bootstrap?.incarnation ?? 0,
    };
  });
  return { members, lastSeenRevision: facts.report.revision, known: knownAfter({ facts, desired, known }) };
}

/** Nothing is forgotten on account of a cluster that does not answer. */
function knownAfter(situation: Situation): Known {
  const { facts, desired, known } = situation;
  const declared = desired.members.map(({ name, clientUrl }) => ({ name, clientUrl }));
  const left = known.members.filter(({ name }) => {
    const run = runOf(situation, name);
    return !declared.some((member) => member.name === name) && (run.running || hasData(run));
  });
  const clusterId = quorate(situation) && !otherCluster(situation) ? facts.report.clusterId : known.clusterId;
  const ended = desired.members.filter(({ name }) => !replaceDue(situation, name)).map(({ name }) => name);
  return {
    ...(clusterId !== undefined && { clusterId }),
    members: [...declared, ...left].map(({ name, clientUrl }) => {
      const before = known.members.find((member) => member.name === name);
      const { token, incarnation } = runOf(situation, name).bootstrap ??
        before ?? { token: desired.token, incarnation: 0 };
      const endpoint = facts.report.members.find((entry) => entry.name === name)?.endpoint;
      return { name, clientUrl: endpoint ?? before?.clientUrl ?? clientUrl, token, incarnation };
    }),
    replaced: Object.fromEntries(
      Object.keys(desired.replace).map((name) => [
        name,
        (ended.includes(name) ? desired.replace[name] : known.replaced[name]) ?? 0,
      ]),
    ),
  };
}
