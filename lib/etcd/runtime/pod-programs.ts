import { objectName } from "../../host-cluster/object-name.ts";
import { fieldManager, type KubeClient, type KubeObject } from "../../kube/client.ts";
import { isConflict, KubeError } from "../../kube/error.ts";
import { namespacedPath } from "../../kube/paths.ts";
import { isLost } from "../../kube/pod.ts";
import { deadlineIn, messageOf, Pending, waitFor } from "../../wait.ts";

/** On a Deployment: how many pods it had before it was halted. */
const halted = "karmada-pulumi/halted";

/**
 * Stops programs by deleting all their pods, with a short grace period: what they know is about to be wrong. Pods on an
 * unreachable node keep running if it has power: their watches are later told that the revision they follow is gone.
 */
export async function haltDeployments(
  client: KubeClient,
  namespace: string,
  programs: readonly string[],
): Promise<void> {
  const deployment = (name: string) => namespacedPath(namespace, "deployments", name);
  const found = await Promise.all(
    programs.map(objectName).map(async (name) => ((await client.find(deployment(name))) === undefined ? [] : name)),
  );
  const there = found.flat();
  if (there.length === 0) return;
  const pods = namespacedPath(namespace, "pods");
  const query = { labelSelector: `app.kubernetes.io/instance in (${there.join(",")})` };
  const end = () => client.request("DELETE", pods, { query, body: { gracePeriodSeconds: stopSeconds } });
  // First: a pod ended by its Deployment gets its full grace period, and no runtime shortens that afterwards.
  await end();
  await Promise.all(there.map((name) => takeAll(client, deployment(name))));
  const deadline = deadlineIn(goneSeconds);
  try {
    await waitFor("the pods of programs that remember what etcd held to be gone", deadline, async () => {
      const { items } = await client.get<{ items: KubeObject[] }>(pods, { query });
      if (items.length === 0) return undefined;
      await end();
      return new Pending(items.map(({ metadata }) => metadata?.name).join(", "));
    });
  } catch (error) {
    const { items } = await client.get<{ items: KubeObject[] }>(pods, { query });
    if (!items.every(isLost)) throw error;
    console.log(`warning: ${messageOf(error)}\nnobody hears of their nodes: they are left out`);
  }
}

/**
 * Starts what was halted and has not been started since, in the given order. Without the first, an API server, the
 * others exit, and the kubelet backs off longer and longer: so they start once it serves.
 */
export async function resumeDeployments(
  client: KubeClient,
  namespace: string,
  programs: readonly string[],
): Promise<void> {
  for (const [i, name] of programs.entries()) {
    const path = namespacedPath(namespace, "deployments", objectName(name));
    const found = await client.find(path);
    const before = found?.metadata?.annotations?.[halted];
    if (before === undefined) continue;
    const isHalted = found?.["spec"]?.replicas === 0;
    await change(client, path, null, isHalted ? Number(before) : undefined);
    if (i === 0) await serves(client, path);
  }
}

/** One ready pod is enough. */
async function serves(client: KubeClient, path: string): Promise<void> {
  await waitFor(`${path} to serve`, deadlineIn(servesSeconds), async () => {
    const { status } = await client.get(path);
    return status?.availableReplicas > 0 ? undefined : new Pending("none of its pods does");
  });
}

const stopSeconds = 2;
/** Longer than any program's grace period. */
const goneSeconds = 120;
/** For an API server, however much is in etcd. */
const servesSeconds = 300;

async function takeAll(client: KubeClient, path: string): Promise<void> {
  const replicas = Number((await client.get(path))["spec"]?.replicas ?? 1);
  await change(client, path, replicas > 0 ? String(replicas) : undefined, 0);
}

/**
 * Sets the number of replicas, and gives up ownership of the field at once: otherwise whoever declares the Deployment
 * could change it only by force.
 *
 * @param note what is noted; null removes it, undefined leaves it
 */
async function change(
  client: KubeClient,
  path: string,
  note: string | null | undefined,
  replicas: number | undefined,
): Promise<void> {
  const query = { fieldManager };
  await client.merge(
    path,
    {
      ...(note !== undefined && { metadata: { annotations: { [halted]: note } } }),
      ...(replicas !== undefined && { spec: { replicas } }),
    },
    { query },
  );
  await waitFor(`${path} to be nobody's but its declarer's`, deadlineIn(ownSeconds), async () => {
    const { metadata } = await client.get(path);
    const owners = (metadata as { managedFields?: Owner[] }).managedFields ?? [];
    const ours = owners.findIndex(
      ({ manager, operation, subresource = "" }) =>
        manager === fieldManager && operation === "Update" && subresource === "",
    );
    if (ours < 0) return undefined;
    const entry = `/metadata/managedFields/${ours}`;
    const patch = [
      { op: "test", path: `${entry}/manager`, value: fieldManager },
      { op: "remove", path: entry },
    ];
    try {
      await client.request("PATCH", path, { query, body: patch, contentType: "application/json-patch+json" });
    } catch (error) {
      // Somebody else has written it meanwhile.
      if (isConflict(error) || (error instanceof KubeError && error.status === 422))
        return new Pending(messageOf(error));
      throw error;
    }
    return new Pending("it was let go of");
  });
}

interface Owner {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
}

const ownSeconds = 20;
