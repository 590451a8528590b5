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
 * From the moment it is done the others look for it where it is not yet. A member that ran on would hear nothing and keep
 * its clients waiting for an answer, so it is ended before; one without whom there is no majority has to agree first.
 */
export async function readdress(tools: Tools, situation: Situation, name: string): Promise<void> {
  expectPrepared(situation, name);
  const entry = entryNamed(situation, name);
  await handLeadershipOver(tools, situation, entry);
  const { peerUrl } = wantedNamed(situation, name);
  const count = voters(situation).length;
  const others = spare(count, count) > 0;
  if (others) await tools.runtime.stop(name);
  await callsWithout(tools, situation, others ? entry.id : undefined).readdress(entry.id, peerUrl, deadline(tools));
  failPoint("membership/readdressed");
  await startPrepared(tools, situation, name);
  failPoint("membership/restarted");
  await waitUntilWell(tools, [name]);
}
