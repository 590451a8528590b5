import { connect, type KubeClient, type KubeObject } from "../lib/kube/client.ts";
import { isTransient } from "../lib/kube/error.ts";
import { parseKubeconfig } from "../lib/kube/kubeconfig.ts";
import { watch } from "../lib/kube/watch.ts";
import { deadlineIn, messageOf, Pending, waitFor, type Deadline } from "../lib/wait.ts";
import { implement, type Problem } from "./implementation.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";
import type { SimulatedNodesInputs, SimulatedNodesOutputs } from "./simulated-nodes.ts";

const path = "/api/v1/nodes";
/** Marks the nodes of ours; only these are ever deleted. */
const ours = { "app.kubernetes.io/managed-by": "karmada-pulumi" };

export const provider = implement<SimulatedNodesInputs, SimulatedNodesOutputs>({
  inputs: {
    kubeconfig: "update",
    cluster: "update",
    count: "update",
    cpu: "update",
    memory: "update",
    pods: "update",
    timeoutSeconds: "ignore",
  },
  id: ({ kubeconfig }) => parseKubeconfig(kubeconfig).server,
  check: (inputs) => [...checkKubeconfigs(inputs, ["kubeconfig"]), ...checkCount(inputs.count)],
  create: ensure,
  update: ensure,
  async read(state) {
    try {
      const nodes = await ourNodes(await connect(state.kubeconfig));
      const present = nodes.map(nameOf).sort(byName);
      return { state: { nodes: present }, drift: differences(state, nodes) };
    } catch (error) {
      return { state: {}, drift: [`cannot be read: ${messageOf(error)}`] };
    }
  },
  async delete({ kubeconfig, timeoutSeconds }) {
    const client = await connect(kubeconfig);
    await removeNodes(client, [], deadlineIn(Math.min(15, timeoutSeconds)));
  },
});

function checkCount(count: number | undefined): Problem[] {
  if (count === undefined || (Number.isInteger(count) && count >= 0)) return [];
  return [{ property: "count", reason: `got ${count}, want 0 or a larger whole number` }];
}

async function ensure(inputs: SimulatedNodesInputs): Promise<SimulatedNodesOutputs> {
  const { kubeconfig, timeoutSeconds } = inputs;
  const deadline = deadlineIn(timeoutSeconds);
  const client = await connect(kubeconfig);
  const nodes = namesOf(inputs);
  await Promise.all(nodes.map((name) => ensureNode(client, name, inputs, deadline)));
  await becomeReady(client, new Set(nodes), deadline);
  await removeNodes(client, nodes, deadline);
  return { nodes };
}

/**
 * No two clusters have a node of the same name, as with real ones: karmada-search passes nothing on of what is ambiguous. An
 * earlier release has them without the cluster's.
 */
const namesOf = ({ cluster, count }: Partial<SimulatedNodesInputs>): string[] =>
  Array.from({ length: count ?? 0 }, (_, number) => [...(cluster ? [cluster] : []), "node", number].join("-"));

async function ensureNode(client: KubeClient, name: string, inputs: SimulatedNodesInputs, deadline: Deadline) {
  const node = { apiVersion: "v1", kind: "Node" };
  const metadata = {
    name,
    annotations: { "kwok.x-k8s.io/node": "fake", "node.alpha.kubernetes.io/ttl": "0" },
    labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", type: "kwok", ...ours },
  };
  const { cpu, memory, pods } = inputs;
  const resources = { cpu, memory, pods };
  await waitFor(
    `${name} to be accepted`,
    deadline,
    async () => {
      await client.apply(`${path}/${name}`, { ...node, metadata });
      const status = { allocatable: resources, capacity: resources };
      await client.apply(`${path}/${name}/status`, { ...node, metadata: { name }, status });
    },
    { fatal: (error) => !isTransient(error) },
  );
}

async function becomeReady(client: KubeClient, missing: Set<string>, deadline: Deadline): Promise<void> {
  if (missing.size === 0) return;
  await waitFor("the simulated nodes to be Ready", deadline, async () => {
    for await (const { object } of watch(client, path, deadline)) {
      if (isReady(object)) missing.delete(nameOf(object));
      if (missing.size === 0) return;
    }
    return new Pending(`${[...missing].sort(byName).join(", ")}: not Ready; does kwok run?`);
  });
}

/** Removes all nodes of ours but these. */
async function removeNodes(client: KubeClient, kept: readonly string[], deadline: Deadline): Promise<void> {
  await waitFor(
    "the simulated nodes to be deleted",
    deadline,
    async () => {
      const surplus = (await ourNodes(client)).map(nameOf).filter((name) => !kept.includes(name));
      await Promise.all(surplus.map((name) => client.delete(`${path}/${name}`)));
      return surplus.length === 0 ? undefined : new Pending(`${surplus.sort(byName).join(", ")}: still there`);
    },
    { fatal: (error) => !isTransient(error) },
  );
}

async function ourNodes(client: KubeClient): Promise<KubeObject[]> {
  const labelSelector = Object.entries(ours)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  return (await client.get<{ items: KubeObject[] }>(path, { query: { labelSelector } })).items;
}

function differences(inputs: SimulatedNodesInputs, nodes: readonly KubeObject[]): string[] {
  const { cpu, memory, pods } = inputs;
  return namesOf(inputs).flatMap((name) => {
    const node = nodes.find((each) => nameOf(each) === name);
    if (node === undefined) return [`${name}: is gone`];
    if (!isReady(node)) return [`${name}: is not Ready`];
    const has = node.status?.capacity ?? {};
    const same = has.cpu === cpu && has.memory === memory && has.pods === pods;
    return same ? [] : [`${name}: has cpu ${has.cpu}, memory ${has.memory}, pods ${has.pods}`];
  });
}

const nameOf = (node: KubeObject) => node.metadata?.name ?? "";
const byName = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });

function isReady(node: KubeObject): boolean {
  const conditions = (node.status?.conditions ?? []) as { type: string; status: string }[];
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}
