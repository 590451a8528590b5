import type { TypedMember } from "./members/members.ts";
import { chosenMode } from "./members/sync-mode.ts";
import type { Problem } from "./problems.ts";

/**
 * Finds members that could not continue after their stack has handed them over: something of theirs would be deleted.
 */
export function checkHandOver(members: readonly TypedMember[], planeNetworks: readonly string[]): Problem[] {
  return members.flatMap((member, i) => {
    if (!member.handOver) return [];
    const needed = neededBy(member, planeNetworks);
    if (needed === undefined) return [];
    return [{ path: ["members", i, "handOver"], message: `got true, ${needed}` }];
  });
}

function neededBy(member: TypedMember, planeNetworks: readonly string[]): string | undefined {
  if (member.credentials.kind === "simulated") return "and the cluster is one that this stack simulates";
  if (chosenMode(member, planeNetworks).syncMode === "Push" || member.agent?.kind === "inMember") return undefined;
  return 'want its agent in the member before (agent.kind "inMember"): one beside the control plane ends with this stack';
}
