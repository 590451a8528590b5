import type { KubeClient } from "../kube/client.ts";
import { unlessForbidden } from "../kube/error.ts";

/**
 * What provisions nodes for pods that find none, as far as it can be seen: Karpenter by its API, which EKS Auto Mode
 * and AKS node auto-provisioning have as well, the cluster autoscaler, which is GKE's too, by the status it writes
 * (https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md).
 */
export async function nodeProvisioner(client: KubeClient): Promise<string | undefined> {
  for (const [name, path] of provisioners) {
    const found = await client.find(path).catch(unlessForbidden);
    if (found !== undefined) return name;
  }
  return undefined;
}

const provisioners = [
  ["Karpenter", "/apis/karpenter.sh"],
  ["the cluster autoscaler", "/api/v1/namespaces/kube-system/configmaps/cluster-autoscaler-status"],
] as const;
