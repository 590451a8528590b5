import { claimsOf } from "../jwt.ts";
import { parseKubeconfig } from "../kube/kubeconfig.ts";
import { clusterNamespace, serviceAccountOf } from "./names.ts";

/**
 * Whether a kubeconfig logs in to a member as the account that Karmada has there, by the name in its token, as one
 * found by `npm run adopt` does: removing that account or its token with this login would end the login itself.
 */
export function isOwnAccount(kubeconfig: string, cluster: string): boolean {
  const { token = "" } = parseKubeconfig(kubeconfig);
  return claimsOf(token)?.["sub"] === userOf(cluster);
}

/** That account's user name in the member. */
export const userOf = (cluster: string): string =>
  `system:serviceaccount:${clusterNamespace}:${serviceAccountOf(cluster)}`;
