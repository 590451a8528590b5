import { failPoint } from "../../../fail-point.ts";
import { spare } from "../../conditions.ts";
import { callsWithout, deadline, entryNamed, waitUntilWell, wantedNamed, type Tools } from "../context.ts";
import { handLeadershipOver } from "../leadership.ts";
import { voters, type Situation } from "../situation.ts";
import { expectPrepared, startPrepared } from "./start.ts";

/** The next member is not touched before this one serves and has caught up. */
export async function restart(tools: Tools, situation: Situation, name: string): Promise<void> {
  expectPrepared(situation, name);
  await handLeadershipOver(tools, situation, entryNamed(situation, name));
  await startPrepared(tools, situation, name);
  failPoint("membership/restarted");
  await waitUntilWell(tools, [name]);
}

/**
 * As soon as the address is changed the other members look for this one where it does not run yet. So it is stopped
 * first if the cluster can spare it; if not, it must be running to vote for the change.
 */
export async function readdress(tools: Tools, situation: Situation, name: string): Promise<void> {
  expectPrepared(situation, name);
  const entry = entryNamed(situation, name);
  await handLeadershipOver(tools, situation, entry);
  const { peerUrl } = wantedNamed(situation, name);
  const count = voters(situation).length;
  const canSpareIt = spare(count, count) > 0;
  if (canSpareIt) await tools.runtime.stop(name);
  await callsWithout(tools, situation, canSpareIt ? entry.id : undefined).readdress(entry.id, peerUrl, deadline(tools));
  failPoint("membership/readdressed");
  await startPrepared(tools, situation, name);
  failPoint("membership/restarted");
  await waitUntilWell(tools, [name]);
}
