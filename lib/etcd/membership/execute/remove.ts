import { failPoint } from "../../../fail-point.ts";
import { callsWithout, deadline, entryNamed, type MembershipContext } from "../context.ts";
import { handLeadershipOver } from "../leadership.ts";
import { foreign, runOf, type Situation } from "../situation.ts";
import type { Step } from "../steps.ts";

/** Off the list first: a member that is still listed and does not run counts against the majority. */
export async function remove(
  context: MembershipContext,
  situation: Situation,
  { member, id }: Step & { kind: "remove" },
): Promise<void> {
  const entry = entryNamed(situation, member);
  await handLeadershipOver(context, situation, entry);
  await callsWithout(context, situation, id).remove(id, deadline(context));
  failPoint("membership/removed");
  if (!foreign(situation, entry)) await retire(context, situation, member);
}

/** Stops a member and moves its data out of the way. */
export async function retire({ runtime }: MembershipContext, situation: Situation, name: string): Promise<void> {
  await runtime.stop(name);
  failPoint("membership/stopped");
  for (const incarnation of runOf(situation, name).incarnations) {
    await runtime.retire(name, incarnation);
    failPoint("membership/retired");
  }
}
