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
      const present = nodes.map(nameOf).sort(byNumber);
      return { state: { nodes: present }, drift: differences(state, nodes) };
    } catch (error) {
      return { state: {}, drift: [`cannot be read: ${messageOf(error)}`] };
    }
  },
  async delete({ kubeconfig, timeoutSeconds }) {
    const client = await connect(kubeconfig);
    await removeNodes(client, 0, deadlineIn(Math.min(15, timeoutSeconds)));
  },
});

function checkCount(count: number | undefined): Problem[] {
  if (count === undefined || (Number.isInteger(count) && count >= 0)) return [];
  return [{ property: "count", reason: `got ${count}, want 0 or a larger whole number` }];
}

async function ensure(inputs: SimulatedNodesInputs): Promise<SimulatedNodesOutputs> {
  const { kubeconfig, count, timeoutSeconds } = inputs;
  const deadline = deadlineIn(timeoutSeconds);
  const client = await connect(kubeconfig);
  await removeNodes(client, count, deadline);
  const nodes = Array.from({ length: count }, (_, number) => `node-${number}`);
  await Promise.all(nodes.map((name) => ensureNode(client, name, inputs, deadline)));
  await becomeReady(client, new Set(nodes), deadline);
  return { nodes };
}

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
    return new Pending(`${[...missing].sort(byNumber).join(", ")}: not Ready; does kwok run?`);
  });
}

/** Removes our nodes from number `from` on. */
async function removeNodes(client: KubeClient, from: number, deadline: Deadline): Promise<void> {
  await waitFor(
    "the simulated nodes to be deleted",
    deadline,
    async () => {
      const surplus = (await ourNodes(client)).map(nameOf).filter((name) => numberOf(name) >= from);
      await Promise.all(surplus.map((name) => client.delete(`${path}/${name}`)));
      return surplus.length === 0 ? undefined : new Pending(`${surplus.sort(byNumber).join(", ")}: still there`);
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

function differences({ count, cpu, memory, pods }: SimulatedNodesInputs, nodes: readonly KubeObject[]): string[] {
  const wanted = Array.from({ length: count }, (_, number) => `node-${number}`);
  return wanted.flatMap((name) => {
    const node = nodes.find((each) => nameOf(each) === name);
    if (node === undefined) return [`${name}: is gone`];
    if (!isReady(node)) return [`${name}: is not Ready`];
    const has = node.status?.capacity ?? {};
    const same = has.cpu === cpu && has.memory === memory && has.pods === pods;
    return same ? [] : [`${name}: has cpu ${has.cpu}, memory ${has.memory}, pods ${has.pods}`];
  });
}

const nameOf = (node: KubeObject) => node.metadata?.name ?? "";
const numberOf = (name: string) => Number(name.replace(/^node-/, ""));
const byNumber = (a: string, b: string) => numberOf(a) - numberOf(b);

function isReady(node: KubeObject): boolean {
  const conditions = (node.status?.conditions ?? []) as { type: string; status: string }[];
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}
