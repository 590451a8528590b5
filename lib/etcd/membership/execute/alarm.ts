import { failPoint } from "../../../fail-point.ts";
import { disarm } from "../../disarm.ts";
import type { StrayAlarm } from "../../stray-alarm.ts";
import type { MembershipContext } from "../context.ts";
import { voters, type Situation } from "../situation.ts";

/** Ends the alarm of a member that is gone. */
export async function disarmStray(
  { client }: MembershipContext,
  situation: Situation,
  stray: StrayAlarm,
): Promise<void> {
  const leader = voters(situation).find((entry) => entry.leader);
  if (leader?.endpoint === undefined) throw new Error("nobody leads");
  await disarm(client, leader.endpoint, stray);
  failPoint("membership/disarmed");
}
