import { isDeepStrictEqual } from "node:util";
import { lookAtHostCluster } from "../lib/host-cluster/look.ts";
import { judgeNamespace, namespacePath, ownerAnnotation, ownerOf } from "../lib/host-cluster/namespace.ts";
import type { Finding } from "../lib/host-cluster/needs.ts";
import { connect, type KubeClient, type KubeObject } from "../lib/kube/client.ts";
import { deadlineIn, messageOf, Pending, waitFor } from "../lib/wait.ts";
import { type Before, type Derived, implement } from "./implementation.ts";
import type { OwnedNamespaceInputs, OwnedNamespaceOutputs } from "./owned-namespace.ts";

type Inputs = OwnedNamespaceInputs;

export const provider = implement<Inputs, OwnedNamespaceOutputs>({
  inputs: {
    kubeconfig: "update",
    namespace: "replace",
    deployment: "replace",
    oldest: "ignore",
    nodePorts: "update",
    storageClass: "update",
    pods: "ignore",
    networkPolicies: "ignore",
    ingress: "update",
    restores: "ignore",
    timeoutSeconds: "ignore",
  },
  deleteBeforeReplace: true,
  id: ({ namespace }) => namespace,
  derive: lookFirst,
  create: (inputs) => ensure(inputs),
  async read({ kubeconfig, namespace, deployment }) {
    const found = await (await connect(kubeconfig)).find(namespacePath(namespace));
    if (found === undefined || ownerOf(found) !== deployment) return undefined;
    return { state: { uid: found.metadata?.uid ?? "" } };
  },
  update: (inputs) => ensure(inputs),
  async delete({ kubeconfig, namespace, deployment, uid, timeoutSeconds }) {
    const client = await connect(kubeconfig);
    const found = await client.find(namespacePath(namespace));
    if (found === undefined || ownerOf(found) !== deployment) return;
    await empty(client, namespace, timeoutSeconds);
    await client.delete(namespacePath(namespace), { preconditions: { uid: uid ?? found.metadata?.uid } });
    await waitFor(`namespace ${namespace} to be gone`, deadlineIn(timeoutSeconds), async () => {
      const left = await client.find(namespacePath(namespace));
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
async function lookFirst(inputs: Partial<Inputs>, before: Before<Inputs>): Promise<Derived<Inputs>> {
  const {
    kubeconfig,
    namespace,
    deployment,
    oldest,
    nodePorts = {},
    pods,
    storageClass,
    networkPolicies = false,
    ingress,
    restores = false,
  } = inputs;
  if (kubeconfig === undefined || namespace === undefined || deployment === undefined) return { inputs: {} };
  if (oldest === undefined || pods === undefined) return { inputs: {} };
  const needs = {
    namespace,
    deployment,
    oldest,
    nodePorts,
    pods,
    networkPolicies,
    restores,
    ...(storageClass !== undefined && { storageClass }),
    ...(ingress !== undefined && { ingress }),
  };
  let findings: Finding[];
  try {
    findings = await lookAtHostCluster(await connect(kubeconfig), needs);
  } catch (error) {
    console.log(`${namespace}: the host cluster cannot be looked at now: ${messageOf(error)}`);
    return { inputs: {} };
  }
  const forbids = ({ severity, need }: Finding) => severity === "error" && !(need === "pods" && runs(before, pods));
  const warnings = findings.filter((finding) => !forbids(finding));
  if (warnings.length > 0) console.log(warnings.map(({ message }) => `warning: ${message}`).join("\n"));
  const problems = findings.filter(forbids).map(({ need, message }) => ({ property: need, reason: message }));
  return { inputs: {}, problems };
}

/** Whether the pods run as they are to: then a node that is drained or away is no reason not to change anything else. */
const runs = ({ inputs }: Before<Inputs>, pods: Inputs["pods"]): boolean => isDeepStrictEqual(inputs?.pods, pods);

async function ensure({ kubeconfig, namespace, deployment, ...inputs }: Inputs): Promise<OwnedNamespaceOutputs> {
  const client = await connect(kubeconfig);
  const findings = await judgeNamespace(client, { namespace, deployment });
  for (const { message } of findings) throw new Error(`namespace: ${message}`);
  const deadline = deadlineIn(inputs.timeoutSeconds);
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
  return { uid: made.metadata?.uid ?? "" };
}

function leftInWords({ status }: KubeObject): string {
  const conditions = ((status?.conditions ?? []) as KubeObject[]).filter((each) => each["status"] === "True");
  return conditions.map((each) => each["message"] as string).join("; ") || "it is being deleted";
}
