import { parseKubeconfig } from "../kube/kubeconfig.ts";
import { sha256 } from "../supervisor/atomic-file.ts";

/**
 * Tells without asking anybody whether two kubeconfigs lead to one cluster: by the address, the authority and the proxy of
 * their current contexts, whoever logs in by them and whatever they call it. Others may lead to one cluster all the same.
 */
export function wayDigest(kubeconfig: string): string {
  const { server, ca = "", tlsServerName = "", proxyUrl = "" } = parseKubeconfig(kubeconfig);
  return sha256(JSON.stringify([server, ca.trim(), tlsServerName, proxyUrl]));
}
