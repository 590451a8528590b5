import { firstBootstrap } from "./bootstrap.ts";
import { hasData, lostData, replaceDue, runOf, type Situation } from "./situation.ts";
import type { Step } from "./steps.ts";

/** A step, if the situation is one for it. */
export type Rule = (situation: Situation) => Step | undefined;

/**
 * Members with data that have ended, and those that refuse everybody until they start anew. Together: one after another,
 * none would find a majority.
 */
function startAll(situation: Situation): Step | undefined {
  const ended = Object.entries(situation.facts.runs)
    .filter(([, run]) => !run.running && hasData(run))
    .map(([name]) => name);
  const members = [...ended, ...refusing(situation)];
  return members.length > 0 ? { kind: "start", members } : undefined;
}

/** Running members that keep to certificates of an earlier revision, which we and the others have no more. */
function refusing(situation: Situation): string[] {
  const { report } = situation.facts;
  const former = situation.desired.members.filter(({ name, clientUrl, revision }) => {
    const run = runOf(situation, name);
    return report.refusing.includes(clientUrl) && run.running && hasData(run) && run.revision !== revision;
  });
  return former.map(({ name }) => name).filter((name) => !replaceDue(situation, name));
}

function bootstrap(situation: Situation): Step | undefined {
  if (!isNew(situation)) return undefined;
  const members = situation.desired.members.map(({ name }) => name).filter((name) => !runOf(situation, name).running);
  return members.length > 0 ? { kind: "bootstrap", members } : undefined;
}

/** No member ever served, and none was started for a cluster other than the declared one. */
export function isNew(situation: Situation): boolean {
  const { desired, known, facts } = situation;
  if (known.clusterId !== undefined) return false;
  const first = firstBootstrap(desired);
  return (
    facts.report.members.every((entry) => !lostData(situation, entry)) &&
    desired.members.every(({ name }) => {
      const { bootstrap: last, incarnations } = runOf(situation, name);
      if (last === undefined) return incarnations.length === 0;
      return last.state === "new" && last.token === first.token && last.initialCluster === first.initialCluster;
    })
  );
}

function waitForQuorum(): Step {
  return { kind: "wait" };
}

/** What comes first where no majority answers. */
export const withoutQuorum: readonly Rule[] = [startAll, bootstrap, waitForQuorum];
