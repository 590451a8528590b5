import type { KubeClient } from "../kube/client.ts";
import { agentAccountOf, estimatorAccountOf, roleOf, serviceAccountOf } from "./names.ts";
import { rightsDrift, type Account, type Rule } from "./service-account.ts";
import { tokensOf, wantedOf, type Rotation } from "./tokens.ts";

/** What an account in a member is for: the control plane, the member's agent, or its estimator. */
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

/** How an account differs from how it was made, in sentences. */
export async function accountDrift(member: KubeClient, account: Account, rotation: Rotation = {}): Promise<string[]> {
  const { name } = account;
  const [drift, tokens] = await Promise.all([rightsDrift(member, account), tokensOf(member, { account: name })]);
  return wantedOf(tokens, rotation) === undefined ? [...drift, `secret ${name}: is gone from the member`] : drift;
}

/** The rights to propagate: everything, since anything may be propagated. */
export const everything: readonly Rule[] = [
  { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
  { nonResourceURLs: ["*"], verbs: ["get"] },
];

/** The rights to estimate capacity: read-only. Quotas only with the feature gate ResourceQuotaEstimate. */
const capacity: readonly Rule[] = [
  { apiGroups: [""], resources: ["nodes", "pods", "resourcequotas"], verbs: ["get", "list", "watch"] },
  { apiGroups: ["apps"], resources: ["deployments", "replicasets"], verbs: ["get", "list", "watch"] },
];
