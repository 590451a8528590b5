import { failPoint } from "../../../fail-point.ts";
import { spare } from "../../conditions.ts";
import { callsWithout, deadline, entryNamed, waitUntilWell, wantedNamed, type MembershipContext } from "../context.ts";
import { handLeadershipOver } from "../leadership.ts";
import { voters, type Situation } from "../situation.ts";
import { expectPrepared, startPrepared } from "./start.ts";

/** The next member is not touched before this one serves and has caught up. */
export async function restart(context: MembershipContext, situation: Situation, name: string): Promise<void> {
  expectPrepared(situation, name);
  await handLeadershipOver(context, situation, entryNamed(situation, name));
  await startPrepared(context, situation, name);
  failPoint("membership/restarted");
  await waitUntilWell(context, [name]);
}

/**
 * As soon as the address is changed the other members look for this one where it does not run yet. So it is stopped
 * first if the cluster can spare it; if not, it must be running to vote for the change.
 */
export async function readdress(context: MembershipContext, situation: Situation, name: string): Promise<void> {
  expectPrepared(situation, name);
  const entry = entryNamed(situation, name);
  await handLeadershipOver(context, situation, entry);
  const { peerUrl } = wantedNamed(situation, name);
  const count = voters(situation).length;
  const canSpareIt = spare(count, count) > 0;
  if (canSpareIt) await context.runtime.stop(name);
  await callsWithout(context, situation, canSpareIt ? entry.id : undefined).readdress(
    entry.id,
    peerUrl,
    deadline(context),
  );
  failPoint("membership/readdressed");
  await startPrepared(context, situation, name);
  failPoint("membership/restarted");
  await waitUntilWell(context, [name]);
}
