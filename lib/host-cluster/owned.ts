import type { KubeClient, KubeObject } from "../kube/client.ts";
import { deadlineIn, Pending, waitFor, type Deadline } from "../wait.ts";
import { judgeNamespace, namespacePath, ownerAnnotation, ownerOf } from "./namespace.ts";
import type { HostClusterNeeds } from "./needs.ts";

/** A namespace and whose it is. */
export type Owned = Pick<HostClusterNeeds, "namespace" | "deployment">;

/** Makes a namespace for one owner, or finds it made. @returns its UID @throws when others have it */
export async function ensureOwned(
  client: KubeClient,
  { namespace, deployment }: Owned,
  deadline: Deadline,
): Promise<string> {
  const findings = await judgeNamespace(client, { namespace, deployment });
  for (const { message } of findings) throw new Error(`namespace: ${message}`);
  const made = await waitFor<KubeObject>(`namespace ${namespace} of before to be gone`, deadline, async () => {
    const found = await client.find(namespacePath(namespace));
    if (found?.metadata?.deletionTimestamp !== undefined) return new Pending(leftInWords(found));
    return client.apply(namespacePath(namespace), {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: {
        name: namespace,
        labels: { "pod-security.kubernetes.io/enforce": "restricted" },
        annotations: { [ownerAnnotation]: deployment },
      },
    });
  });
  return made.metadata?.uid ?? "";
}

/** Deletes a namespace with all in it, and returns when it is gone; one of others stays. @param uid of the one that is meant */
export async function dropOwned(
  client: KubeClient,
  { namespace, deployment }: Owned,
  uid: string | undefined,
  timeoutSeconds: number,
): Promise<void> {
  const found = await client.find(namespacePath(namespace));
  if (found === undefined || ownerOf(found) !== deployment) return;
  await empty(client, namespace, timeoutSeconds);
  await client.delete(namespacePath(namespace), { preconditions: { uid: uid ?? found.metadata?.uid } });
  await waitFor(`namespace ${namespace} to be gone`, deadlineIn(timeoutSeconds), async () => {
    const left = await client.find(namespacePath(namespace));
    return left === undefined ? undefined : new Pending(leftInWords(left));
  });
}

/**
 * Nobody is served any more, so no pod has its time to end. While a pod or a volume is left, the namespace would be looked at
 * only later and later. Who would end pods in their own time, or make new ones, goes first and lets go of them.
 */
async function empty(client: KubeClient, namespace: string, seconds: number): Promise<void> {
  const deadline = deadlineIn(seconds);
  for (const kind of ["deployments", "replicasets", "statefulsets"])
    await client.delete(`/apis/apps/v1/namespaces/${namespace}/${kind}`, { propagationPolicy: "Orphan" });
  for (const kind of ["pods", "persistentvolumeclaims"]) {
    const all = `/api/v1/namespaces/${namespace}/${kind}`;
    await waitFor(`the ${kind} of namespace ${namespace} to be gone`, deadline, async () => {
      const { items } = await client.get<{ items: KubeObject[] }>(all);
      if (items.length === 0) return undefined;
      await client.delete(all, { gracePeriodSeconds: 1 });
      return new Pending(items.map(({ metadata }) => metadata?.name).join(", "));
    });
  }
}

function leftInWords({ status }: KubeObject): string {
  const conditions = ((status?.conditions ?? []) as KubeObject[]).filter((each) => each["status"] === "True");
  return conditions.map((each) => each["message"] as string).join("; ") || "it is being deleted";
}
