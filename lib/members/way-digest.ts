import { parseKubeconfig } from "../kube/kubeconfig.ts";
import { sha256 } from "../sha256.ts";

/**
 * Equal for two kubeconfigs that lead to the same cluster by the same address, authority and proxy of their current
 * contexts, whatever their users and names; nothing is asked. Kubeconfigs with different digests may still lead to the
 * same cluster.
 */
export function wayDigest(kubeconfig: string): string {
  const { server, ca = "", tlsServerName = "", proxyUrl = "" } = parseKubeconfig(kubeconfig);
  return sha256(JSON.stringify([server, ca.trim(), tlsServerName, proxyUrl]));
}
