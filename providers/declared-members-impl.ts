import { connect, type KubeObject } from "../lib/kube/client.ts";
import { refusalOf } from "../lib/members/declarer.ts";
import { paths } from "../lib/members/names.ts";
import { strandedPolicies, type StrandedPolicy } from "../lib/members/stranded.ts";
import { messageOf } from "../lib/wait.ts";
import type { DeclaredMembersInputs } from "./declared-members.ts";
import type { Before, Problem } from "./implementation.ts";
import { refusing } from "./refusing.ts";

export const provider = refusing<DeclaredMembersInputs>(
  "members",
  {
    members: "update",
    declaredBy: "update",
    mayLeave: "ignore",
    preserved: "update",
    kubeconfigs: "ignore",
    policies: "update",
    karmadaKubeconfig: "ignore",
  },
  refusals,
);

/** A plane that does not answer refuses nothing: no member can join or leave it either. */
async function refusals(
  inputs: Partial<DeclaredMembersInputs>,
  { inputs: then }: Before<DeclaredMembersInputs>,
): Promise<Problem[]> {
  return [...(await taken(inputs, then)), ...(await stranded(inputs, then))];
}

/** Joining members that another stack has, or this one under another name. */
async function taken(
  { members = [], declaredBy, karmadaKubeconfig, kubeconfigs = {} }: Partial<DeclaredMembersInputs>,
  then: Partial<DeclaredMembersInputs> | undefined,
): Promise<Problem[]> {
  const known = then?.declaredBy === declaredBy ? (then?.members ?? []) : [];
  const coming = members.filter((name) => !known.includes(name));
  if (coming.length === 0 || declaredBy === undefined || karmadaKubeconfig === undefined) return [];
  try {
    const plane = await connect(karmadaKubeconfig);
    const { items } = await plane.get<{ items: KubeObject[] }>(paths.clusters, { timeout: 5000 });
    const others = items
      .filter(({ metadata }) => coming.includes(metadata?.name ?? ""))
      .flatMap((object) => {
        const refusal = refusalOf(object, declaredBy);
        return refusal === undefined ? [] : [{ property: "members", reason: `${object.metadata?.name}: ${refusal}` }];
      });
    const there = known.filter((name) => items.some(({ metadata }) => metadata?.name === name));
    const leaving = there.filter((name) => !members.includes(name));
    return [...others, ...renamed(coming, kubeconfigs, leaving, then?.kubeconfigs ?? {})];
  } catch {
    return [];
  }
}

/**
 * Joining members whose kubeconfig leads to the same cluster as a leaving one's: in an `up`, all join before any
 * leaves.
 */
function renamed(
  coming: readonly string[],
  now: Readonly<Record<string, string>>,
  leaving: readonly string[],
  then: Readonly<Record<string, string>>,
): Problem[] {
  return coming.flatMap((name) => {
    const old = leaving.find((each) => now[name] !== undefined && then[each] === now[name]);
    if (old === undefined) return [];
    const reason =
      `${name}: its cluster is registered already, as ${old}; a cluster joins once\n` +
      `to rename it, take ${old} out of the list in an up of its own first`;
    return [{ property: "members", reason }];
  });
}

/** Policies that would be left without a cluster. */
async function stranded(
  { members, mayLeave = [], policies = [], karmadaKubeconfig }: Partial<DeclaredMembersInputs>,
  then: Partial<DeclaredMembersInputs> | undefined,
): Promise<Problem[]> {
  if (members === undefined || then?.members === undefined || karmadaKubeconfig === undefined) return [];
  const leaving = then.members.filter((name) => !members.includes(name));
  if (leaving.every((name) => mayLeave.includes(name))) return [];
  const ours = [...policies, ...(then.policies ?? [])];
  try {
    const plane = await connect(karmadaKubeconfig);
    const found = await strandedPolicies(plane, leaving, { timeout: 5000 });
    return found
      .filter(({ policy, clusters }) => !ours.includes(policy) && !clusters.every((name) => mayLeave.includes(name)))
      .map((each) => ({ property: "members", reason: sentence(each, then.preserved ?? []) }));
  } catch (error) {
    console.warn(`members ${leaving.join(", ")} leave, and no policy could be looked at: ${messageOf(error)}`);
    return [];
  }
}

function sentence({ policy, clusters }: StrandedPolicy, preserved: readonly string[]): string {
  const [names, it] = [clusters.join(" and "), clusters.length === 1 ? "it" : "them"];
  const stays = clusters.every((name) => preserved.includes(name));
  const outcome = stays ? "stay there and follow it no more" : "be deleted there and run nowhere";
  return (
    `${names} cannot leave: ${policy} names no other cluster, so that what it has placed would ${outcome}\n` +
    `give the policy another cluster, delete it, or let ${it} go with membersMayLeave: [${clusters.join(", ")}]`
  );
}
