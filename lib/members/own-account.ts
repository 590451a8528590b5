import { claimsOf } from "../jwt.ts";
import { parseKubeconfig } from "../kube/kubeconfig.ts";
import { clusterNamespace, serviceAccountOf } from "./names.ts";

/**
 * Whether a kubeconfig logs in to a member by the account that Karmada has there, as one that `npm run adopt` has found does,
 * by the name in its token: who takes that account away, or its token, by this login takes the login away.
 */
export function isOwnAccount(kubeconfig: string, cluster: string): boolean {
  const { token = "" } = parseKubeconfig(kubeconfig);
  return claimsOf(token)?.["sub"] === userOf(cluster);
}

/** That account, as the member knows who logs in by it. */
export const userOf = (cluster: string): string =>
  `system:serviceaccount:${clusterNamespace}:${serviceAccountOf(cluster)}`;
