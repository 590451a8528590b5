import { isDeepStrictEqual } from "node:util";
import { Pending, waitFor, type Deadline, type RenewableDeadline } from "../wait.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { isConflict, isTransient } from "../kube/error.ts";
import { retryTransient } from "../kube/retry-transient.ts";
import { watch } from "../kube/watch.ts";
import { grantAgent, releaseAgent } from "./agent-rights.ts";
import { clusterObject, type Registration } from "./cluster-object.ts";
import { refusalOf } from "./declarer.ts";
import {
  clusterNamespace,
  executionNamespaceOf,
  impersonatorSecretOf,
  paths,
  systemLabels,
  tokenMade,
} from "./names.ts";
import { ensureNamespace } from "./service-account.ts";
import { takesPlace, tokenWritten } from "./token-notes.ts";
import { base64 } from "../base64.ts";
import { whileFewer } from "./works-left.ts";

/** What is on the plane for a member. */
export interface Registered {
  /** Its Cluster. */
  readonly object: KubeObject;
  /** The Secret with the token by which Karmada reaches into it. */
  readonly secret: KubeObject;
}

/**
 * Writes the secrets and the Cluster, new or changed. An earlier registration leaves first.
 *
 * @param deadline renewed as long as that comes nearer: what was propagated may be thousands of objects
 */
export async function register(
  plane: KubeClient,
  registration: Registration,
  deadline: RenewableDeadline,
): Promise<Registered> {
  const { cluster } = registration;
  await earlierGone(plane, cluster, deadline);
  await ensureNamespace(plane, deadline);
  if (registration.syncMode === "Pull") {
    await retryTransient(`the rights of the agent of ${cluster} to be written`, deadline, () =>
      grantAgent(plane, cluster),
    );
  }
  const inPlaceSince = await retryTransient(`the secret of ${cluster} to be read`, deadline, () =>
    takesPlace(plane, cluster, registration.credentials.token),
  );
  const secrets = (owner?: KubeObject) =>
    retryTransient(`the secrets of ${cluster} to be written`, deadline, () =>
      writeSecrets(plane, registration, { inPlaceSince, owner }),
    );
  // Before the Cluster: Karmada reads them as soon as it sees it.
  await secrets();
  const object = await writeCluster(plane, registration, deadline);
  return { object, secret: await secrets(object) };
}

async function earlierGone(plane: KubeClient, cluster: string, deadline: RenewableDeadline): Promise<void> {
  const note = whileFewer(deadline);
  const look = async (): Promise<Pending | undefined> => {
    const old = await plane.find(paths.cluster(cluster));
    if (old?.metadata?.deletionTimestamp === undefined) return undefined;
    const { items } = await plane.get<{ items: KubeObject[] }>(paths.works(executionNamespaceOf(cluster)));
    await note(items.length);
    if (items.length > 0) return new Pending(`${items.length} works are left; ${whoDeletesWorks(old)}?`);
    await releaseAgent(plane, cluster);
    return new Pending("it is still there");
  };
  await waitFor(`the earlier registration of ${cluster} to be gone, it is being deleted`, deadline, look);
}

/** Asks after who has to delete the works of a member: that is of the mode in which it joined, not of the one to come. */
const whoDeletesWorks = ({ spec }: KubeObject): string =>
  spec?.syncMode === "Pull"
    ? "does its karmada-agent run, and reach the control plane"
    : "does karmada-controller-manager run, and reach the member";

/**
 * Watches a Cluster until Karmada reports it ready; the error has Karmada's own reason.
 * @param watcher who looks at the member
 */
export async function becomeReady(
  plane: KubeClient,
  cluster: string,
  deadline: Deadline,
  watcher = "karmada-controller-manager",
): Promise<KubeObject> {
  return waitFor(`${cluster} to be ready`, deadline, async () => {
    let last = `Karmada has not looked at it yet; does ${watcher} run?`;
    const query = { fieldSelector: `metadata.name=${cluster}` };
    for await (const { type, object } of watch(plane, paths.clusters, deadline, query)) {
      if (type === "DELETED") return new Pending("somebody deleted it");
      const ready = readyCondition(object);
      if (ready?.status === "True") return object;
      if (ready !== undefined) last = reasonOf(ready);
    }
    return new Pending(last);
  });
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** Karmada's verdict on a Cluster. */
export function readyCondition(object: KubeObject): Condition | undefined {
  return (object.status?.conditions as Condition[] | undefined)?.find((condition) => condition.type === "Ready");
}

/** Why a Cluster is not ready, undefined when it is. */
export function notReady(object: KubeObject): string | undefined {
  const verdict = readyCondition(object);
  if (verdict?.status === "True") return undefined;
  return verdict === undefined ? "not ready" : reasonOf(verdict);
}

const reasonOf = ({ reason, message }: Condition) =>
  `not ready: ${reason ?? "no reason"}: ${message ?? "no message"}${hints[reason ?? ""] ?? ""}`;

/** What a refresh has to say about it. */
export function readyDrift(object: KubeObject): string[] {
  const why = notReady(object);
  return why === undefined ? [] : [why];
}

const hints: Record<string, string> = {
  ClusterNotReachable: "; the control plane itself has to reach the kubeconfig's server",
  ClusterStatusUnknown: "; does its karmada-agent run, and reach the control plane?",
  StatusCollectionFailed: "; its secret or its rights in the member are not in order",
};

/**
 * @param more.inPlaceSince when the token takes the place of another one
 * @returns the one with the token of the account of Karmada
 */
async function writeSecrets(
  plane: KubeClient,
  registration: Registration,
  { inPlaceSince, owner }: { readonly inPlaceSince: string | undefined; readonly owner: KubeObject | undefined },
): Promise<KubeObject> {
  const { cluster, credentials, endpoint } = registration;
  const ownerReferences = owner && [
    {
      apiVersion: "cluster.karmada.io/v1alpha1",
      kind: "Cluster",
      name: cluster,
      uid: owner.metadata?.uid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ];
  const write = (name: string, data: Record<string, string>) =>
    plane.apply(paths.secret(name), {
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name,
        namespace: clusterNamespace,
        labels: systemLabels,
        annotations: { [tokenMade]: credentials.since, ...(inPlaceSince && { [tokenWritten]: inPlaceSince }) },
        ...(owner && { ownerReferences }),
      },
      data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)])),
    });
  const [secret] = await Promise.all([
    write(cluster, { caBundle: endpoint.caBundle, token: credentials.token }),
    write(impersonatorSecretOf(cluster), { token: credentials.impersonatorToken }),
  ]);
  return secret;
}

/** Reads, changes and writes: controllers change the same object, so that a conflict means to do it again. */
async function writeCluster(plane: KubeClient, registration: Registration, deadline: Deadline): Promise<KubeObject> {
  const { cluster, declaredBy } = registration;
  return waitFor(
    `${cluster} to be written`,
    deadline,
    async () => {
      const existing = await plane.find(paths.cluster(cluster));
      const refusal = existing && refusalOf(existing, declaredBy);
      if (refusal !== undefined) throw new Error(refusal);
      const wanted = clusterObject(existing, registration);
      if (existing === undefined) return plane.create(paths.clusters, wanted);
      return isDeepStrictEqual(existing, wanted) ? existing : plane.replace(paths.cluster(cluster), wanted);
    },
    { interval: 20, fatal: (error) => !isConflict(error) && !isTransient(error) },
  );
}
