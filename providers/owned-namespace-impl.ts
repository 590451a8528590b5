import { connect, type KubeClient, type KubeObject } from "../lib/kube/client.ts";
import { deadlineIn, messageOf, Pending, waitFor } from "../lib/wait.ts";
import { type Before, type Derived, implement, type Problem } from "./implementation.ts";
import type { OwnedNamespaceInputs, OwnedNamespaceOutputs } from "./owned-namespace.ts";

type Inputs = OwnedNamespaceInputs;

export const provider = implement<Inputs, OwnedNamespaceOutputs>({
  inputs: {
    kubeconfig: "update",
    namespace: "replace",
    deployment: "replace",
    nodePorts: "update",
    storageClass: "update",
    timeoutSeconds: "ignore",
  },
  deleteBeforeReplace: true,
  id: ({ namespace }) => namespace,
  derive: lookFirst,
  create: (inputs) => ensure(inputs),
  async read({ kubeconfig, namespace, deployment }) {
    const found = await (await connect(kubeconfig)).find(path(namespace));
    if (found === undefined || ownerOf(found) !== deployment) return undefined;
    return { state: { uid: found.metadata?.uid ?? "" } };
  },
  update: (inputs) => ensure(inputs),
  async delete({ kubeconfig, namespace, deployment, uid, timeoutSeconds }) {
    const client = await connect(kubeconfig);
    const found = await client.find(path(namespace));
    if (found === undefined || ownerOf(found) !== deployment) return;
    await empty(client, namespace, timeoutSeconds);
    await client.delete(path(namespace), { preconditions: { uid: uid ?? found.metadata?.uid } });
    await waitFor(`namespace ${namespace} to be gone`, deadlineIn(timeoutSeconds), async () => {
      const left = await client.find(path(namespace));
      return left === undefined ? undefined : new Pending(leftInWords(left));
    });
  },
});

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

/** A cluster that does not answer now is no problem of the stack file: `up` says what is wrong with it. */
async function lookFirst(inputs: Partial<Inputs>, _before: Before<Inputs>): Promise<Derived<Inputs>> {
  const { kubeconfig, namespace, deployment, nodePorts = {}, storageClass } = inputs;
  if (kubeconfig === undefined || namespace === undefined || deployment === undefined) return { inputs: {} };
  try {
    const client = await connect(kubeconfig);
    const problems = await Promise.all([
      foreignNamespace(client, namespace, deployment),
      takenPorts(client, namespace, nodePorts),
      storageClass === undefined ? [] : missingClass(client, storageClass),
    ]);
    return { inputs: {}, problems: problems.flat() };
  } catch (error) {
    console.log(`${namespace}: the host cluster cannot be looked at now: ${messageOf(error)}`);
    return { inputs: {} };
  }
}

async function foreignNamespace(client: KubeClient, namespace: string, deployment: string): Promise<Problem[]> {
  const found = await client.find(path(namespace));
  if (found === undefined || ownerOf(found) === deployment) return [];
  const owner = ownerOf(found);
  const whose = owner === undefined ? "it was not made by this program" : `it belongs to the deployment "${owner}"`;
  return [{ property: "namespace", reason: `"${namespace}" is there already and ${whose}, want one of its own` }];
}

async function takenPorts(client: KubeClient, namespace: string, wanted: Inputs["nodePorts"]): Promise<Problem[]> {
  const { items } = await client.get<{ items: KubeObject[] }>("/api/v1/services");
  return items.flatMap(({ metadata, spec }) => {
    if (metadata?.namespace === namespace) return [];
    const has = ((spec?.ports ?? []) as { nodePort?: number }[]).map(({ nodePort }) => nodePort);
    return Object.entries(wanted).flatMap(([name, ports]) =>
      ports
        .filter((port) => has.includes(port))
        .map((port) => ({
          property: "nodePorts",
          reason: `${name}: NodePort ${port} is taken by the Service ${metadata?.namespace}/${metadata?.name}, want another in placement.exposure`,
        })),
    );
  });
}

async function missingClass(client: KubeClient, wanted: string): Promise<Problem[]> {
  const { items } = await client.get<{ items: KubeObject[] }>("/apis/storage.k8s.io/v1/storageclasses");
  const isDefault = ({ metadata }: KubeObject) =>
    metadata?.annotations?.["storageclass.kubernetes.io/is-default-class"] === "true";
  if (items.some((each) => (wanted === "" ? isDefault(each) : each.metadata?.name === wanted))) return [];
  const there = items.map(({ metadata }) => metadata?.name).join(", ") || "none";
  const reason =
    wanted === ""
      ? `the host cluster has no default storage class, want one named in placement.storage (there is ${there})`
      : `the host cluster has no storage class "${wanted}", there is ${there}`;
  return [{ property: "storageClass", reason }];
}

async function ensure({ kubeconfig, namespace, deployment, ...inputs }: Inputs): Promise<OwnedNamespaceOutputs> {
  const client = await connect(kubeconfig);
  const problems = await foreignNamespace(client, namespace, deployment);
  for (const { reason } of problems) throw new Error(`namespace: ${reason}`);
  const deadline = deadlineIn(inputs.timeoutSeconds);
  const made = await waitFor<KubeObject>(`namespace ${namespace} of before to be gone`, deadline, async () => {
    const found = await client.find(path(namespace));
    if (found?.metadata?.deletionTimestamp !== undefined) return new Pending(leftInWords(found));
    return client.apply(path(namespace), {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: {
        name: namespace,
        labels: { "pod-security.kubernetes.io/enforce": "restricted" },
        annotations: { [ownerAnnotation]: deployment },
      },
    });
  });
  return { uid: made.metadata?.uid ?? "" };
}

const ownerAnnotation = "karmada-pulumi/deployment";

const path = (namespace: string) => `/api/v1/namespaces/${namespace}`;

const ownerOf = ({ metadata }: KubeObject): string | undefined => metadata?.annotations?.[ownerAnnotation];

function leftInWords({ status }: KubeObject): string {
  const conditions = ((status?.conditions ?? []) as KubeObject[]).filter((each) => each["status"] === "True");
  return conditions.map((each) => each["message"] as string).join("; ") || "it is being deleted";
}
