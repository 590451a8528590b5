import { isDeepStrictEqual } from "node:util";
import { lookAtHostCluster } from "../lib/host-cluster/look.ts";
import { isOwned, namespacePath } from "../lib/host-cluster/namespace.ts";
import type { Finding } from "../lib/host-cluster/needs.ts";
import { dropOwned, ensureOwned, type Owned } from "../lib/host-cluster/owned.ts";
import { connect } from "../lib/kube/client.ts";
import { deadlineIn, messageOf } from "../lib/wait.ts";
import { type Before, type Derived, implement } from "./implementation.ts";
import type { OwnedNamespaceInputs, OwnedNamespaceOutputs } from "./owned-namespace.ts";

type Inputs = OwnedNamespaceInputs;

export const provider = implement<Inputs, OwnedNamespaceOutputs>({
  inputs: {
    kubeconfig: "update",
    namespace: "replace",
    deployment: "replace",
    instance: "update",
    oldest: "ignore",
    nodePorts: "update",
    storageClass: "update",
    hostPath: "update",
    priorityClass: "update",
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
  async read({ kubeconfig, namespace, ...owner }) {
    const found = await (await connect(kubeconfig)).find(namespacePath(namespace));
    if (found === undefined || !isOwned(found, owner)) return undefined;
    return { state: { uid: found.metadata?.uid ?? "" } };
  },
  update: (inputs) => ensure(inputs),
  delete: async ({ kubeconfig, uid, timeoutSeconds, ...owned }) => {
    const left = await dropOwned(await connect(kubeconfig), ownedBy(owned), uid, timeoutSeconds);
    if (left.length > 0) console.log(`data of etcd are left on nodes, and nobody uses them again:\n${left.join("\n")}`);
  },
});

/** A cluster that does not answer now is no problem of the stack file: `up` says what is wrong with it. */
async function lookFirst(inputs: Partial<Inputs>, before: Before<Inputs>): Promise<Derived<Inputs>> {
  const {
    kubeconfig,
    namespace,
    deployment,
    instance,
    oldest,
    nodePorts = {},
    pods,
    storageClass,
    hostPath,
    priorityClass,
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
    ...(instance !== undefined && { instance }),
    ...(storageClass !== undefined && { storageClass }),
    ...(hostPath !== undefined && { hostPath }),
    ...(priorityClass !== undefined && { priorityClass }),
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

async function ensure({ kubeconfig, timeoutSeconds, ...owned }: Inputs): Promise<OwnedNamespaceOutputs> {
  const client = await connect(kubeconfig);
  return { uid: await ensureOwned(client, ownedBy(owned), deadlineIn(timeoutSeconds)) };
}

const ownedBy = ({ namespace, deployment, instance }: Owned): Owned => ({
  namespace,
  deployment,
  ...(instance !== undefined && { instance }),
});
