import { otherCluster, runOf, type Known, type Situation } from "./situation.ts";

/**
 * What is known of a cluster that a restore has made since the last run: its members have begun with other data, by which it
 * is told from now on whether one has been replaced. Where the restore belongs to this very change, that was the
 * replacement of all; after one by a stack of its own, what is to be replaced still is.
 *
 * @returns the same as before, unless there was one
 */
export function knownSinceRestore(situation: Situation): Known {
  const { facts, desired, known } = situation;
  const { clusterId } = facts.report;
  if (known.clusterId === undefined || clusterId === "" || clusterId === known.clusterId) return known;
  if (otherCluster(situation)) return known;
  const members = known.members.map((member) => {
    const { token, incarnation } = runOf(situation, member.name).bootstrap ?? member;
    return { ...member, token, incarnation };
  });
  const replaced = clusterId === desired.restored ? { ...known.replaced, ...desired.replace } : known.replaced;
  return { clusterId, members, replaced };
}
