import { strayInWords } from "../stray-alarm.ts";
import { entryOf, foreign, otherCluster, quorate, runOf, type Situation } from "./situation.ts";

/** What differs from what is declared, in sentences. */
export function driftOf(situation: Situation): string[] {
  const { facts, desired, known } = situation;
  const { report } = facts;
  if (otherCluster(situation)) return [`etcd: is the cluster ${report.clusterId}, was ${known.clusterId}`];
  if (!quorate(situation)) return [`etcd: no majority answers: ${report.silent.join("; ")}`];
  return [
    ...desired.members.flatMap((member) => {
      const entry = entryOf(situation, member);
      if (entry === undefined) return [`${member.name}: is not a member of the cluster any more`];
      if (entry.learner) return [`${member.name}: is a learner still`];
      if (!entry.healthy) return [`${member.name}: ${entry.problem}`];
      const { running, revision } = runOf(situation, member.name);
      if (!running) return [`${member.name}: answers, and does not run where it is declared`];
      if (revision === undefined) return [`${member.name}: was edited by hand, and is put back by the next up`];
      if (revision !== member.revision) return [`${member.name}: runs revision ${revision}, not ${member.revision}`];
      if (entry.peerUrls.join() !== member.peerUrl) return [`${member.name}: is known as ${entry.peerUrls.join()}`];
      return [];
    }),
    ...report.members
      .filter((entry) => foreign(situation, entry) && desired.foreignMembers !== "ignore")
      .map((entry) => `${entry.name}: is a member that nobody declared`),
    ...report.members.flatMap(({ name, alarms }) => alarms.map((alarm) => `${name}: alarm ${alarm}`)),
    ...report.strayAlarms.map((stray) => `etcd: ${strayInWords(stray)}`),
  ];
}
