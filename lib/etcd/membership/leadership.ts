import { failPoint } from "../../fail-point.ts";
import { deadlineIn, messageOf, Pending, waitFor } from "../../wait.ts";
import type { EtcdMember } from "../member.ts";
import { lookAtCluster, quick, type MembershipContext } from "./context.ts";
import { voters, type Situation } from "./situation.ts";

/** Hands leadership to the voter that is least behind: clients wait a tenth of a second instead of for an election. */
export async function handLeadershipOver(
  context: MembershipContext,
  situation: Situation,
  entry: EtcdMember,
): Promise<void> {
  const [next] = voters(situation)
    .filter(({ id, healthy }) => id !== entry.id && healthy)
    .sort((a, b) => a.lag - b.lag);
  if (!entry.leader || entry.endpoint === undefined || next === undefined) return;
  const { endpoint } = entry;
  await waitFor(
    `${entry.name} to hand over its leadership`,
    deadlineIn(10),
    async () => {
      const { facts } = await lookAtCluster(context);
      if (!facts.report.members.some(({ id, leader }) => id === entry.id && leader)) return undefined;
      const body = { targetID: BigInt(`0x${next.id}`).toString() };
      await context.client.call(endpoint, "maintenance/transfer-leadership", body, 3000);
      return new Pending("it leads still");
    },
    quick,
  ).catch((error: unknown) => context.say(`${messageOf(error)}; it is stopped all the same, an election follows`));
  failPoint("membership/leader-moved");
}
