import { Pending, waitFor, type Deadline } from "../wait.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { isNotFound, isTransient } from "../kube/error.ts";
import { readyCondition } from "./registration.ts";
import { executionNamespaceOf, impersonatorSecretOf, paths } from "./names.ts";

/**
 * Takes a cluster off the plane and returns when nothing of it is left there. Karmada's own controllers do the work, with
 * what they delete in the member; we only spare them their waits: the works are deleted as soon as nothing can make new
 * ones, so that the namespace controller need not come twice (8 s), and the Cluster is touched when all is gone, so that
 * the cluster controller does not look again only after its 10 s.
 * @param lost the member does not answer: what Karmada cannot delete there any more is given up
 */
export async function leavePlane(plane: KubeClient, cluster: string, deadline: Deadline, lost: boolean): Promise<void> {
  const existing = await plane.find(paths.cluster(cluster));
  if (existing !== undefined) {
    await plane.delete(paths.cluster(cluster), { preconditions: { uid: existing.metadata?.uid } });
    await waitFor(`Karmada to let go of ${cluster}`, deadline, () => step(plane, cluster, lost), {
      interval: 50,
      maxInterval: 250,
      fatal: (error) => !isTransient(error),
    });
  }
  await deleteSecrets(plane, cluster);
}

/** One look at how far it is, and what can be done for it. */
async function step(plane: KubeClient, cluster: string, lost: boolean): Promise<undefined | Pending> {
  const object = await plane.find(paths.cluster(cluster));
  if (object === undefined) return undefined;
  const namespace = await plane.find(paths.namespace(executionNamespaceOf(cluster)));
  if (namespace === undefined) {
    await touch(plane, cluster);
    return new Pending("policies still place workloads there; does karmada-scheduler run?");
  }
  if (namespace.metadata?.deletionTimestamp === undefined) {
    return new Pending("its works are not being deleted yet; does karmada-controller-manager run?");
  }
  const works = await deleteWorks(plane, executionNamespaceOf(cluster), lost);
  if (works.length === 0) return new Pending(remaining(namespace));
  const verdict = readyCondition(object)?.status === "True" ? "ready" : "not ready";
  return new Pending(
    `${works.length} works are left, for instance ${works[0]?.metadata?.name}; the member is ${verdict}`,
  );
}

/** In a namespace that is being deleted nothing new can come. */
async function deleteWorks(plane: KubeClient, namespace: string, lost: boolean): Promise<KubeObject[]> {
  const { items } = await plane.get<{ items: KubeObject[] }>(paths.works(namespace));
  await Promise.all(
    items.map(async ({ metadata }) => {
      const path = `${paths.works(namespace)}/${metadata?.name}`;
      if (metadata?.deletionTimestamp === undefined) await plane.delete(path);
      if (lost && (metadata?.finalizers ?? []).length > 0) {
        await plane.merge(path, { metadata: { finalizers: null } }).catch(unlessGone);
      }
    }),
  );
  return items;
}

/** Any change makes the cluster controller look again. */
async function touch(plane: KubeClient, cluster: string): Promise<void> {
  const annotations = { "karmada-pulumi/touched": new Date().toISOString() };
  await plane.merge(paths.cluster(cluster), { metadata: { annotations } }).catch(unlessGone);
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

/** Why the namespace controller is not done, in its own words. */
function remaining(namespace: KubeObject): string {
  const conditions = (namespace.status?.conditions ?? []) as { status: string; message?: string }[];
  const reasons = conditions.flatMap(({ status, message }) => (status === "True" && message ? [message] : []));
  return `its namespace is being deleted${reasons.length === 0 ? "" : `: ${reasons.join("; ")}`}`;
}

/** Karmada's garbage collector deletes them with the Cluster; those of an interrupted join have no owner. */
async function deleteSecrets(plane: KubeClient, cluster: string): Promise<void> {
  await Promise.all([cluster, impersonatorSecretOf(cluster)].map((name) => plane.delete(paths.secret(name))));
}
