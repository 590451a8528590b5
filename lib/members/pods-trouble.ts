import type { KubeClient, KubeObject } from "../kube/client.ts";
import { isReady, whyNotRunning } from "../kube/pod.ts";
import { proxyPath } from "./names.ts";
import { templatePath } from "./rolled-out.ts";
import type { Missing } from "./rollout.ts";

/**
 * What keeps a pod of a workload in a member from running; undefined if nothing does, or the member cannot be asked.
 */
export async function podsTrouble(plane: KubeClient, { object, member }: Missing): Promise<string | undefined> {
  const path = templatePath(object);
  if (path === undefined || member === undefined) return undefined;
  try {
    const template = await plane.get(path, quickly);
    const labels = Object.entries((template.spec?.selector?.matchLabels ?? {}) as Record<string, string>);
    const query = { labelSelector: labels.map(([key, value]) => `${key}=${value}`).join(",") };
    const pods = await plane.get<{ items: KubeObject[] }>(
      `${proxyPath(member)}/api/v1/namespaces/${object.namespace}/pods`,
      { ...quickly, query },
    );
    const pod = pods.items.find((each) => each.metadata?.deletionTimestamp === undefined && !isReady(each));
    return pod && `Pod ${object.namespace}/${pod.metadata?.name} in ${member}: ${whyNotRunning(pod)}`;
  } catch {
    return undefined;
  }
}

const quickly = { timeout: 5000 };
