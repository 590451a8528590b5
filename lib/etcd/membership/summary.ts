import { readableSize, roughSize } from "../../size.ts";
import { strayInWords } from "../stray-alarm.ts";
import { quorate, voters, type Situation } from "./situation.ts";

/**
 * The state of the cluster in a sentence, with figures. Those that change all the time are rough: an `up` that carries
 * out a saved plan refuses to if the sentence has become another one meanwhile.
 */
export function summarise(situation: Situation): string {
  const { report } = situation.facts;
  if (report.clusterId === "") return "health: no member answers";
  const all = voters(situation);
  const healthy = all.filter((member) => member.healthy);
  const count = `${healthy.length}/${all.length} voters`;
  if (!quorate(situation)) return `health: ${report.state}, ${count} answer, no majority`;
  const leader = all.find((member) => member.leader);
  const alarms = [
    ...all.flatMap((member) => member.alarms.map((alarm) => `alarm ${alarm} of ${member.name}`)),
    ...report.strayAlarms.map(strayInWords),
  ];
  const lag = Math.max(0, ...healthy.map((member) => member.lag));
  const size = Math.max(0, ...healthy.map((member) => member.dbSize));
  const quota = Math.max(0, ...healthy.map((member) => member.dbSizeQuota));
  return [
    `health: ${count}`,
    `leader ${leader?.name ?? "unknown"}`,
    lag > caughtUp ? `lag ${lag}` : "no lag",
    alarms.join(", ") || "no alarm",
    `db ${roughSize(size)}${quota > 0 ? ` of ${readableSize(quota)}` : ""}; tolerates ${losses(report.tolerates)}`,
  ].join(", ");
}

/** Entries that a member may be behind while it keeps up with writes. */
const caughtUp = 1000;

export const losses = (count: number): string => (count === 0 ? "no loss" : count === 1 ? "1 loss" : `${count} losses`);
