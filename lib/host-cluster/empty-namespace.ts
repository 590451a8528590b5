import { labels } from "../etcd/kubernetes-member.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { forgetPod, lookAtTheirNodes, whereIs } from "../kube/lost-pod.ts";
import { namespacedPath } from "../kube/paths.ts";
import { isLost } from "../kube/pod.ts";
import { Pending, waitFor, type Deadline } from "../wait.ts";

/**
 * Takes the pods and volumes out of a namespace that is being deleted: while one is left, the namespace controller
 * would retry at ever longer intervals.
 */
export async function emptyNamespace(client: KubeClient, namespace: string, deadline: Deadline): Promise<void> {
  await podsGone(client, namespace, deadline);
  const claims = namespacedPath(namespace, "persistentvolumeclaims");
  await waitFor(`the volumes of namespace ${namespace} to be gone`, deadline, async () => {
    const { items } = await client.get<{ items: KubeObject[] }>(claims);
    if (items.length === 0) return undefined;
    await client.delete(claims);
    return new Pending(items.map(({ metadata }) => metadata?.name).join(", "));
  });
}

/**
 * Nothing serves any more, so pods get no grace period, and only those with data are waited for, until they count as
 * lost.
 */
async function podsGone(client: KubeClient, namespace: string, deadline: Deadline): Promise<void> {
  const forgotten = new Set<string | undefined>();
  const end = async (pod: KubeObject) => {
    const { name, uid, labels: { [labels.member]: member = name } = {} } = pod.metadata ?? {};
    if (!hasData(pod) || !isLost(pod)) {
      return client.delete(namespacedPath(namespace, "pods", name), { gracePeriodSeconds: hasData(pod) ? 1 : 0 });
    }
    // One with finalizers is still listed afterwards.
    if (forgotten.has(uid)) return;
    await forgetPod(client, `${member}`, pod);
    forgotten.add(uid);
  };
  await waitFor(`the pods of namespace ${namespace} to be gone`, deadline, async () => {
    const { items } = await client.get<{ items: KubeObject[] }>(namespacedPath(namespace, "pods"));
    await Promise.all(items.map(end));
    const left = items.filter(hasData);
    if (left.length === 0) return undefined;
    return new Pending(
      `${left.map(whereIs).join(", ")}\n${lookAtTheirNodes(namespace, left)}; then run the same again`,
    );
  });
}

/** Whether its end has to be waited for: what comes next could use the volume. */
const hasData = ({ spec }: KubeObject): boolean =>
  ((spec?.volumes ?? []) as object[]).some((volume) => "persistentVolumeClaim" in volume || "hostPath" in volume);
