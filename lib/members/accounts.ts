import { isDeepStrictEqual } from "node:util";
import type { KubeClient } from "../kube/client.ts";
import { agentAccountOf, estimatorAccountOf, paths, roleOf, serviceAccountOf } from "./names.ts";
import type { Account, Rule } from "./service-account.ts";
import { tokensOf, wantedOf, type Rotation } from "./tokens.ts";

/** Who acts in a member, by what for: the control plane, the member's agent, its estimator. */
export type Purpose = "plane" | "agent" | "estimator";

/** The account of a purpose. */
export function accountFor(purpose: Purpose, cluster: string): Account {
  switch (purpose) {
    case "plane":
      return { name: serviceAccountOf(cluster), role: roleOf(cluster), rules: everything };
    case "agent":
      return { name: agentAccountOf(cluster), role: agentAccountOf(cluster), rules: everything };
    case "estimator":
      return { name: estimatorAccountOf(cluster), role: estimatorAccountOf(cluster), rules: capacity };
  }
}

/** Every account that a registration may have in its member. */
export const accountsOf = (cluster: string): Account[] =>
  (["plane", "agent", "estimator"] as const).map((purpose) => accountFor(purpose, cluster));

/** What of an account is not as it was made, in sentences. */
export async function accountDrift(
  member: KubeClient,
  { name, role, rules }: Account,
  rotation: Rotation = {},
): Promise<string[]> {
  const token = async () => wantedOf(await tokensOf(member, { account: name }), rotation);
  const wanted = {
    [`service account ${name}`]: () => member.find(paths.serviceAccount(name)),
    [`secret ${name}`]: token,
    [`cluster role ${role}`]: () => member.find(paths.clusterRole(role)),
    [`cluster role binding ${role}`]: () => member.find(paths.clusterRoleBinding(role)),
  };
  const found = await Promise.all(Object.entries(wanted).map(async ([what, find]) => ({ what, object: await find() })));
  return found.flatMap(({ what, object }) => {
    if (object === undefined) return [`${what}: is gone from the member`];
    const changed = object.rules !== undefined && !isDeepStrictEqual(object.rules, rules);
    return changed ? [`${what}: its rules were changed`] : [];
  });
}

/** What propagating takes, whoever does it: everything, since anything may be propagated. */
const everything: readonly Rule[] = [
  { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
  { nonResourceURLs: ["*"], verbs: ["get"] },
];

/** What tells how much room there is: read, and no more. Quotas only with the feature gate ResourceQuotaEstimate. */
const capacity: readonly Rule[] = [
  { apiGroups: [""], resources: ["nodes", "pods", "resourcequotas"], verbs: ["get", "list", "watch"] },
  { apiGroups: ["apps"], resources: ["deployments", "replicasets"], verbs: ["get", "list", "watch"] },
];
