import { connect, type KubeClient, type KubeObject } from "../kube/client.ts";
import { namespacedPath } from "../kube/paths.ts";
import { isReady } from "../kube/pod.ts";
import { withPodPort } from "../kube/port-forward.ts";
import { redirected } from "../kube/redirected.ts";
import type { Workload } from "./workloads.ts";

/** The host cluster, by a kubeconfig whose current context counts. */
export interface HostCluster {
  readonly client: KubeClient;
  readonly kubeconfig: string;
  readonly namespace: string;
}

/** Every pod of a workload, including those that are terminating. */
export async function podsOf(client: KubeClient, namespace: string, { object }: Workload): Promise<KubeObject[]> {
  const labels = Object.entries((object["spec"]?.selector?.matchLabels ?? {}) as Record<string, string>);
  const query = { labelSelector: labels.map((each) => each.join("=")).join(",") };
  const { items } = await client.get<{ items: KubeObject[] }>(namespacedPath(namespace, "pods"), { query });
  return items;
}

/** Pods of a workload that are ready, by name. */
export async function readyPods({ client, namespace }: HostCluster, workload: Workload): Promise<string[]> {
  const pods = await podsOf(client, namespace, workload);
  const ready = pods.filter(isReady);
  if (ready.length === 0)
    throw new Error(`${namespace}/${workload.name}: none of its pods is ready, want one that serves`);
  return ready.map(({ metadata }) => metadata?.name ?? "");
}

/** Lends a client of an API server in pods, made from a kubeconfig with its in-cluster name. */
export async function withApiServer<T>(
  host: HostCluster,
  apiserver: Workload,
  kubeconfig: string,
  use: (client: KubeClient) => Promise<T>,
): Promise<T> {
  const [pod = ""] = await readyPods(host, apiserver);
  const port = Number(apiserver.flags["secure-port"] ?? 6443);
  return withPodPort({ ...host, pod, port }, async (local) => {
    const client = await connect(redirected(kubeconfig, `https://127.0.0.1:${local}`));
    try {
      return await use(client);
    } finally {
      client.close();
    }
  });
}
