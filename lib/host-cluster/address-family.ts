import type { KubeClient } from "../kube/client.ts";
import { isForbidden } from "../kube/error.ts";
import { error, type Finding } from "./needs.ts";

const path = "/api/v1/namespaces/default/services/kubernetes";

/**
 * Finds that pods are known by IPv6 addresses, while the programs listen on IPv4. The first family of Services is that
 * of pods. If the user may not read a Service there, nothing is found: a deployment needs no right to it.
 */
export async function judgeAddressFamily(client: KubeClient): Promise<Finding[]> {
  const service = await client.find(path).catch((error: unknown) => {
    if (!isForbidden(error)) throw error;
  });
  const address = String(service?.spec?.clusterIP);
  if (!address.includes(":")) return [];
  const found = `the Service default/kubernetes has ${address}`;
  return [
    error(
      "pods",
      `pods have IPv6 addresses first (${found}), and programs listen on IPv4: want a cluster with IPv4 first`,
    ),
  ];
}
