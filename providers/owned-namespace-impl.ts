import { isDeepStrictEqual } from "node:util";
import { lookAtHostCluster } from "../lib/host-cluster/look.ts";
import { isOwned, namespacePath } from "../lib/host-cluster/namespace.ts";
import type { Finding } from "../lib/host-cluster/needs.ts";
import { changedLabels, dropOwned, ensureOwned, type Owned } from "../lib/host-cluster/owned.ts";
import { connect } from "../lib/kube/client.ts";
import { reasonToGiveUp } from "../lib/kube/reason-to-give-up.ts";
import { parseKubeconfig } from "../lib/kube/kubeconfig.ts";
import { deadlineIn, messageOf } from "../lib/wait.ts";
import { type Before, type Derived, implement, type State } from "./implementation.ts";
import type { OwnedNamespaceInputs, OwnedNamespaceOutputs } from "./owned-namespace.ts";
import { sparingDeclared } from "./still-declared.ts";

type Inputs = OwnedNamespaceInputs;

const implemented = implement<Inputs, OwnedNamespaceOutputs>({
  inputs: {
    kubeconfig: "update",
    clusterIdentifier: "update",
    namespace: "replace",
    deployment: "replace",
    instance: "update",
    oldest: "ignore",
    nodePorts: "update",
    storageClass: "update",
    hostPath: "update",
    databases: "ignore",
    writtenVolumes: "ignore",
    priorityClass: "update",
    ownPriorityClasses: "ignore",
    pods: "ignore",
    otherPods: "ignore",
    networkPolicies: "ignore",
    ingress: "update",
    restores: "ignore",
    schedules: "ignore",
    timeoutSeconds: "ignore",
  },
  deleteBeforeReplace: true,
  id: ({ namespace }) => namespace,
  derive: async (inputs, before) => {
    const problems = checkMove(inputs, before);
    return problems.length > 0 ? { inputs: {}, problems } : lookFirst(inputs, before);
  },
  diff: async (state, inputs) => {
    // A cluster that does not answer now is asked again by the update.
    const answer = await foundElsewhere(state, inputs).catch(() => undefined);
    if (answer !== undefined) throw new Error(answer);
    return {};
  },
  create: (inputs) => ensure(inputs),
  async read({ kubeconfig, namespace, ...owner }) {
    const found = await (await connect(kubeconfig)).find(namespacePath(namespace));
    if (found === undefined || !isOwned(found, owner)) return undefined;
    return { state: { uid: found.metadata?.uid ?? "" }, drift: changedLabels(found) };
  },
  async update(inputs, state) {
    const answer = await foundElsewhere(state, inputs);
    if (answer !== undefined) throw new Error(answer);
    return ensure(inputs);
  },
  delete: async ({ kubeconfig, uid, timeoutSeconds, ...owned }) => {
    const client = await connect(kubeconfig);
    const gone = await reasonToGiveUp("the host cluster", client, Math.min(10, timeoutSeconds));
    if (gone !== undefined) return console.warn(`${owned.namespace}: given up with all in it: ${gone}`);
    const left = await dropOwned(client, ownedBy(owned), uid, timeoutSeconds);
    if (left.length > 0) console.log(`data of etcd are left on nodes, and nobody uses them again:\n${left.join("\n")}`);
  },
});

/** All data of the deployment are in it: a forced replacement leaves it where it is. */
export const provider = sparingDeclared(implemented, ({ namespace }) => `namespace ${namespace}`);

/**
 * The contents of a namespace go with it: in another one, etcd would be without its data. And until the identifier is
 * in the state it has no effect: objects would be replaced.
 */
function checkMove({ kubeconfig, namespace, clusterIdentifier }: Partial<Inputs>, { inputs: then }: Before<Inputs>) {
  if (then?.namespace !== undefined && namespace !== undefined && then.namespace !== namespace) {
    const reason = `the deployment is in ${then.namespace} and cannot move to ${namespace}\nset placement.namespace back, or, to begin anew without its data, run \`pulumi destroy\` first`;
    return [{ property: "namespace", reason }];
  }
  if (then?.clusterIdentifier !== undefined || clusterIdentifier === undefined) return [];
  if (!isReachedOtherwise(then?.kubeconfig, kubeconfig)) return [];
  const reason =
    "the state is of an earlier version, which would replace all objects for a kubeconfig with another server or authority\nrun `up` once with the previous kubeconfig";
  return [{ property: "kubeconfig", reason }];
}

/**
 * Another address leads to the same cluster if the namespace there is the same. In another cluster nothing of the
 * deployment would exist, and nothing would create it: its objects are identified by name.
 *
 * @returns what is wrong, and what to do; undefined if nothing is
 */
async function foundElsewhere(
  state: State<Inputs, OwnedNamespaceOutputs>,
  { kubeconfig, namespace }: Partial<Inputs>,
): Promise<string | undefined> {
  if (kubeconfig === undefined || kubeconfig === state.kubeconfig || namespace !== state.namespace || !state.uid)
    return;
  const found = await (await connect(kubeconfig)).find(namespacePath(namespace), { timeout: 5000 });
  const uid = found?.metadata?.uid;
  if (uid === state.uid || (found === undefined && !isReachedOtherwise(state.kubeconfig, kubeconfig))) return;
  const there = found === undefined ? "it has no such namespace" : `UID of the namespace ${uid}, was ${state.uid}`;
  return `${namespace}: the kubeconfig leads to another cluster than the one the deployment is in (${there})\nset placement.credentials back, or, to begin anew there without its data, run \`pulumi destroy\` with the previous ones first (with PULUMI_K8S_DELETE_UNREACHABLE=true where that cluster is gone for good)`;
}

/** Whether two kubeconfigs name another server or authority, by which Pulumi's kubernetes provider tells clusters apart. */
function isReachedOtherwise(before: string | undefined, now: string | undefined): boolean {
  if (before === undefined || now === undefined) return false;
  const way = (kubeconfig: string) => {
    const { server, ca, tlsServerName, proxyUrl, insecureSkipTlsVerify } = parseKubeconfig(kubeconfig);
    return { server, ca, tlsServerName, proxyUrl, insecureSkipTlsVerify };
  };
  return !isDeepStrictEqual(way(before), way(now));
}

/** A cluster that does not answer now is not a problem of the stack file: `up` reports what is wrong with it. */
async function lookFirst(inputs: Partial<Inputs>, before: Before<Inputs>): Promise<Derived<Inputs>> {
  const {
    kubeconfig,
    namespace,
    deployment,
    instance,
    oldest,
    nodePorts = {},
    pods,
    otherPods,
    storageClass,
    hostPath,
    databases,
    writtenVolumes,
    priorityClass,
    ownPriorityClasses,
    networkPolicies = false,
    ingress,
    restores = false,
    schedules = false,
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
    schedules,
    ...(instance !== undefined && { instance }),
    ...(storageClass !== undefined && { storageClass }),
    ...(hostPath !== undefined && { hostPath }),
    ...(databases !== undefined && { databases }),
    ...(writtenVolumes !== undefined && { writtenVolumes }),
    ...(priorityClass !== undefined && { priorityClass }),
    ...(ownPriorityClasses !== undefined && { ownPriorityClasses }),
    ...(otherPods !== undefined && { otherPods }),
    ...(ingress !== undefined && { ingress }),
  };
  let findings: Finding[];
  try {
    findings = await lookAtHostCluster(await connect(kubeconfig), needs);
  } catch (error) {
    console.log(`${namespace}: the host cluster cannot be looked at now: ${messageOf(error)}`);
    return { inputs: {} };
  }
  const forbids = ({ severity, need }: Finding) =>
    severity === "error" && !(need === "pods" && runs(before, { pods, otherPods }));
  const warnings = findings.filter((finding) => !forbids(finding));
  if (warnings.length > 0) console.log(warnings.map(({ message }) => `warning: ${message}`).join("\n"));
  const problems = findings.filter(forbids).map(({ need, message }) => ({ property: need, reason: message }));
  return { inputs: {}, problems };
}

/** Whether the pods run as declared: then a node that is drained or away must not block other changes. */
const runs = ({ inputs }: Before<Inputs>, now: { pods: Inputs["pods"]; otherPods: Inputs["otherPods"] }): boolean =>
  isDeepStrictEqual({ pods: inputs?.pods, otherPods: inputs?.otherPods }, now);

async function ensure({ kubeconfig, timeoutSeconds, ...owned }: Inputs): Promise<OwnedNamespaceOutputs> {
  const client = await connect(kubeconfig);
  return { uid: await ensureOwned(client, ownedBy(owned), deadlineIn(timeoutSeconds)) };
}

const ownedBy = ({ namespace, deployment, instance }: Owned): Owned => ({
  namespace,
  deployment,
  ...(instance !== undefined && { instance }),
});
