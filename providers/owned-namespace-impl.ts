import { isOwned, namespacePath } from "../lib/host-cluster/namespace.ts";
import { changedLabels, dropOwned, ensureOwned, type Owned } from "../lib/host-cluster/owned.ts";
import { connect } from "../lib/kube/client.ts";
import { reasonToGiveUp } from "../lib/kube/reason-to-give-up.ts";
import { deadlineIn } from "../lib/wait.ts";
import { implement } from "./implementation.ts";
import type { OwnedNamespaceInputs, OwnedNamespaceOutputs } from "./owned-namespace.ts";
import { lookFirst } from "./owned-namespace/look.ts";
import { checkMove, foundElsewhere } from "./owned-namespace/move.ts";
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
    return { inputs: {}, problems: problems.length > 0 ? problems : await lookFirst(inputs, before) };
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

async function ensure({ kubeconfig, timeoutSeconds, ...owned }: Inputs): Promise<OwnedNamespaceOutputs> {
  const client = await connect(kubeconfig);
  return { uid: await ensureOwned(client, ownedBy(owned), deadlineIn(timeoutSeconds)) };
}

const ownedBy = ({ namespace, deployment, instance }: Owned): Owned => ({
  namespace,
  deployment,
  ...(instance !== undefined && { instance }),
});
