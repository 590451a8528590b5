import { directoryVolumes, notes } from "../etcd/kubernetes-member.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { whyStillThere } from "../kube/namespace-end.ts";
import { deadlineIn, Pending, waitFor, type Deadline } from "../wait.ts";
import { emptyNamespace } from "./empty-namespace.ts";
import { instanceAnnotation, isOwned, judgeNamespace, namespacePath, ownerAnnotation } from "./namespace.ts";
import type { HostClusterNeeds } from "./needs.ts";

/** A namespace and its owner. */
export type Owned = Pick<HostClusterNeeds, "namespace" | "deployment" | "instance">;

/**
 * The Pod Security level enforced on a deployment's pods.
 * https://kubernetes.io/docs/concepts/security/pod-security-admission/
 */
const podSecurity = { "pod-security.kubernetes.io/enforce": "restricted" };

/** Which labels of a namespace were changed, in sentences. */
export const changedLabels = ({ metadata }: KubeObject): string[] =>
  Object.entries(podSecurity)
    .filter(([label, value]) => metadata?.labels?.[label] !== value)
    .map(([label, value]) => `${label}: got ${metadata?.labels?.[label] ?? "none"}, want ${value}`);

/** Makes a namespace for one owner, unless it exists. @returns its UID @throws when it belongs to others */
export async function ensureOwned(
  client: KubeClient,
  { namespace, ...owner }: Owned,
  deadline: Deadline,
): Promise<string> {
  const findings = await judgeNamespace(client, { namespace, ...owner });
  for (const { message } of findings) throw new Error(`namespace: ${message}`);
  const made = await waitFor<KubeObject>(`the previous namespace ${namespace} to be gone`, deadline, async () => {
    const found = await client.find(namespacePath(namespace));
    if (found?.metadata?.deletionTimestamp !== undefined) return new Pending(whyStillThere(found));
    return client.apply(namespacePath(namespace), {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: {
        name: namespace,
        labels: podSecurity,
        annotations: {
          [ownerAnnotation]: owner.deployment,
          ...(owner.instance !== undefined && { [instanceAnnotation]: owner.instance }),
        },
      },
    });
  });
  return made.metadata?.uid ?? "";
}

/**
 * Deletes a namespace with everything in it, and returns when it is gone; one that belongs to others stays.
 *
 * @param uid of the one that is meant
 * @returns where data were left: directories of nodes, `<node>: <path>`
 */
export async function dropOwned(
  client: KubeClient,
  { namespace, ...owner }: Owned,
  uid: string | undefined,
  timeoutSeconds: number,
): Promise<string[]> {
  const found = await client.find(namespacePath(namespace));
  if (found === undefined || !isOwned(found, owner)) return [];
  const deadline = deadlineIn(timeoutSeconds);
  // From now on no new pods can be made there. The namespace controller looks only 5 s later; by then it is empty.
  await client.delete(namespacePath(namespace), { preconditions: { uid: uid ?? found.metadata?.uid } });
  const onNodes = await directoriesOf(client, namespace);
  await emptyNamespace(client, namespace, deadline);
  await gone(client, namespace, deadline);
  for (const volume of onNodes.flatMap(({ volumes }) => volumes)) await volumeGone(client, volume, deadline);
  return onNodes.map(({ node, directory }) => `${node}: ${directory}`);
}

/** Data that are directories of nodes. Their volumes belong to the namespace, and go with it. */
async function directoriesOf(client: KubeClient, namespace: string) {
  const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
  const { items } = await client.get<{ items: KubeObject[] }>(path);
  return items.flatMap(({ metadata, spec }) => {
    const { [notes.node]: node, [notes.directory]: directory } = metadata?.annotations ?? {};
    if (node === undefined || directory === undefined) return [];
    return [{ node, directory, volumes: directoryVolumes(spec?.volumeName as string) }];
  });
}

async function volumeGone(client: KubeClient, name: string, deadline: Deadline): Promise<void> {
  await waitFor(`volume ${name} to be gone`, deadline, async () =>
    (await client.find(`/api/v1/persistentvolumes/${name}`)) === undefined ? undefined : new Pending("it is there"),
  );
}

/** Returns when a namespace that is being deleted is gone. */
async function gone(client: KubeClient, namespace: string, deadline: Deadline): Promise<void> {
  const attempt = async () => {
    const left = await client.find(namespacePath(namespace));
    return left === undefined ? undefined : new Pending(whyStillThere(left));
  };
  await waitFor(`namespace ${namespace} to be gone`, deadline, attempt, { maxInterval: 100 });
}
