import { deadlineIn, Pending, renewableDeadline, type Deadline, type RenewableDeadline } from "../wait.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { unlessGone } from "../kube/error.ts";
import { retryTransient } from "../kube/retry-transient.ts";
import { whyStillThere } from "../kube/namespace-end.ts";
import { releaseAgent } from "./agent-rights.ts";
import { type Declarer, declarerOf, isOthers, titleOf } from "./declarer.ts";
import { readyCondition } from "./registration.ts";
import { executionNamespaceOf, impersonatorSecretOf, paths } from "./names.ts";
import { whileFewer } from "./works-left.ts";

/** Why a cluster is not `ours` to remove, in a sentence; undefined when it is. */
export async function whyItStays(
  plane: KubeClient,
  cluster: string,
  ours: Declarer | undefined,
  deadline: Deadline,
): Promise<string | undefined> {
  const find = () => plane.find(paths.cluster(cluster));
  const existing = await retryTransient("the Karmada API", deadline, find, pace);
  if (existing === undefined || !isOthers(existing, ours)) return undefined;
  return `it stays in Karmada: ${titleOf(declarerOf(existing)!)} declares it now`;
}

/** What becomes of what Karmada has propagated. */
export interface Withdrawal {
  /** The member does not answer: what Karmada cannot delete in it is left. @default false */
  readonly lost?: boolean;
  /** This machine cannot reach it, but Karmada may: what it has not deleted there in time is left. @default false */
  readonly unseen?: boolean;
  /**
   * It stays in the member, as the member's own. Karmada's accounts there have lost the right to delete. @default false
   */
  readonly preserve?: boolean;
}

/**
 * Asks Karmada to remove a cluster, and returns when it has deleted or released what it propagated there: from then on
 * it no longer needs the member. Karmada's own controllers do the work; the works are deleted here as soon as no new
 * ones can appear, so that the namespace controller need not retry (8 s later).
 *
 * @param seconds how long each step may take. What was propagated may be thousands of objects: as long as they become
 * fewer within that time, they are waited for
 * @returns whether nothing was left behind, as far as that is known
 */
export async function withdraw(
  plane: KubeClient,
  cluster: string,
  seconds: number,
  how: Withdrawal = {},
): Promise<boolean> {
  const deadline = deadlineIn(seconds);
  const grace = deadlineIn(Math.min(graceSeconds, seconds / 2));
  const ask = <T>(what: string, attempt: () => Promise<T>) =>
    retryTransient(`the Karmada API to ${what}`, deadline, attempt, pace);
  if (how.preserve) await ask(`note that what it put into ${cluster} stays`, () => preserveWorks(plane, cluster));
  if (!(await ask(`delete the Cluster ${cluster}`, () => unregister(plane, cluster)))) return false;
  return emptied(plane, cluster, { progress: renewableDeadline(seconds), grace, ...how });
}

/** @returns whether there was one */
async function unregister(plane: KubeClient, cluster: string): Promise<boolean> {
  const existing = await plane.find(paths.cluster(cluster));
  if (existing === undefined) return false;
  await plane.delete(paths.cluster(cluster), { preconditions: { uid: existing.metadata?.uid } });
  return true;
}

/** Waits until Karmada has deleted or released what it propagated. @returns whether nothing was left behind */
async function emptied(
  plane: KubeClient,
  cluster: string,
  { progress, grace, lost = false, unseen = false, preserve = false }: Emptying,
): Promise<boolean> {
  let nothingLeftBehind = !lost;
  const note = whileFewer(progress);
  const look = async () => {
    if (preserve) await preserveWorks(plane, cluster);
    const abandoned = lost || ((unseen || preserve) && grace.left() <= 0);
    const rest = await worksGone(plane, cluster, abandoned);
    if (abandoned && rest !== undefined) nothingLeftBehind = false;
    if (rest instanceof WorksLeft) await note(rest.count);
    return rest;
  };
  await retryTransient(
    `Karmada to ${preserve ? "let go of" : "delete"} what it put into ${cluster}`,
    progress,
    look,
    pace,
  );
  return nothingLeftBehind;
}

interface Emptying extends Withdrawal {
  /** For what is left, renewed as long as that becomes less. */
  readonly progress: RenewableDeadline;
  /** For what Karmada may never finish. */
  readonly grace: Deadline;
}

/**
 * How long to wait for what Karmada may never finish. A member that this machine cannot reach may be out of Karmada's
 * reach too; and where objects stay, Karmada looks without end for those that are no longer in the member, to take its
 * labels off them.
 */
const graceSeconds = 15;

/**
 * Until the Cluster is being deleted, controllers overwrite works with their own version: so this is repeated with each
 * look.
 */
async function preserveWorks(plane: KubeClient, cluster: string): Promise<void> {
  const namespace = executionNamespaceOf(cluster);
  const { items } = await plane.get<{ items: KubeObject[] }>(paths.works(namespace));
  const others = items.filter(({ spec }) => spec?.preserveResourcesOnDeletion !== true);
  const spec = { preserveResourcesOnDeletion: true };
  await Promise.all(
    others.map(({ metadata }) =>
      plane.merge(`${paths.works(namespace)}/${metadata?.name}`, { spec }).catch(unlessGone),
    ),
  );
}

/**
 * Waits until nothing of a cluster is left on the plane. When its namespace is gone the Cluster is touched: the cluster
 * controller would look again only after 10 s.
 */
export async function leavePlane(plane: KubeClient, cluster: string, deadline: Deadline): Promise<void> {
  await retryTransient(
    `Karmada to let go of ${cluster}`,
    deadline,
    async () => {
      if ((await plane.find(paths.cluster(cluster))) === undefined) return;
      const namespace = await plane.find(paths.namespace(executionNamespaceOf(cluster)));
      if (namespace !== undefined) {
        await releaseAgent(plane, cluster);
        return new Pending(remaining(namespace));
      }
      await touch(plane, cluster);
      return new Pending("policies still place workloads there; does karmada-scheduler run?");
    },
    pace,
  );
  // Karmada's garbage collector deletes them with the Cluster; those of an interrupted join have no owner.
  const secrets = [cluster, impersonatorSecretOf(cluster)].map((name) => paths.secret(name));
  const deleteSecrets = async () => void (await Promise.all(secrets.map((secret) => plane.delete(secret))));
  await retryTransient(`the Karmada API to delete the Secrets of ${cluster}`, deadline, deleteSecrets, pace);
}

const pace = { interval: 50, maxInterval: 250 };

async function worksGone(plane: KubeClient, cluster: string, abandoned: boolean): Promise<undefined | Pending> {
  const object = await plane.find(paths.cluster(cluster));
  const namespace = await plane.find(paths.namespace(executionNamespaceOf(cluster)));
  if (object === undefined || namespace === undefined) return undefined;
  if (namespace.metadata?.deletionTimestamp === undefined) {
    return new Pending("it has not begun; does karmada-controller-manager run?");
  }
  const works = await deleteWorks(plane, executionNamespaceOf(cluster), abandoned);
  if (works.length === 0) return undefined;
  const verdict = readyCondition(object)?.status === "True" ? "ready" : "not ready";
  return new WorksLeft(works.length, `for instance ${works[0]?.metadata?.name}; the member is ${verdict}`);
}

class WorksLeft extends Pending {
  readonly count: number;
  constructor(count: number, more: string) {
    super(`${count} works are left, ${more}`);
    this.count = count;
  }
}

/** Nothing new can be created in a namespace that is being deleted. */
async function deleteWorks(plane: KubeClient, namespace: string, abandoned: boolean): Promise<KubeObject[]> {
  const { items } = await plane.get<{ items: KubeObject[] }>(paths.works(namespace));
  await Promise.all(
    items.map(async ({ metadata }) => {
      const path = `${paths.works(namespace)}/${metadata?.name}`;
      if (metadata?.deletionTimestamp === undefined) await plane.delete(path);
      if (abandoned && (metadata?.finalizers ?? []).length > 0) {
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

const remaining = (namespace: KubeObject): string =>
  `its namespace is being deleted: ${whyStillThere(namespace, "does kube-controller-manager run?")}`;
