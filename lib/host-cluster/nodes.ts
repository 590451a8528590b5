import type { KubeClient, KubeObject } from "../kube/client.ts";
import { error, type Finding, type HostClusterNeeds, type PodNeeds, type Toleration, warning } from "./needs.ts";

/** Too few nodes that take the pods. */
export async function judgeNodes(client: KubeClient, { pods }: Pick<HostClusterNeeds, "pods">): Promise<Finding[]> {
  const labelSelector = Object.entries(pods.nodeSelector).map(([label, value]) => `${label}=${value}`);
  const query = { labelSelector: labelSelector.join(","), resourceVersion: "0" };
  const { items } = await client.get<{ items: Node[] }>("/api/v1/nodes", { query });
  const taking = items.filter((node) => isLinux(node) && obstacle(node, pods.tolerations) === undefined);
  if (taking.length === 0) return [error("pods", `no node takes the pods: ${whyNone(items, pods)}`)];
  return Object.entries(pods.apart).flatMap(([kind, count]) => {
    if (count <= taking.length) return [];
    const nodes = `${count} pods of ${kind}, and ${taking.length} ${taking.length === 1 ? "node" : "nodes"} for them`;
    if (pods.required) return [error("pods", `${nodes}, want ${count} nodes, or placement.antiAffinity "preferred"`)];
    // Of other programs one that is left is enough.
    if (kind !== "etcd") return [];
    return [warning("pods", `${nodes}: some share one, and with it a majority may be gone`)];
  });
}

type Node = KubeObject & { spec?: { taints?: Taint[]; unschedulable?: boolean } };

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

const isLinux = ({ metadata }: Node): boolean => (metadata?.labels?.["kubernetes.io/os"] ?? "linux") === "linux";

/** The first taint that keeps the pods away. */
function obstacle({ spec }: Node, tolerations: readonly Toleration[]): Taint | undefined {
  const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
  const taints = [...(spec?.taints ?? []), ...(spec?.unschedulable ? [cordon] : [])];
  return taints.find(
    (taint) => taint.effect !== "PreferNoSchedule" && !tolerations.some((each) => tolerates(each, taint)),
  );
}

const tolerates = ({ key, operator, value = "", effect }: Toleration, taint: Taint): boolean =>
  (effect === undefined || effect === taint.effect) &&
  (key === undefined || key === taint.key) &&
  (operator === "Exists" || (key !== undefined && value === (taint.value ?? "")));

function whyNone(nodes: readonly Node[], { nodeSelector, tolerations }: PodNeeds): string {
  if (nodes.length === 0) {
    const labels = Object.entries(nodeSelector).map(([label, value]) => `${label}=${value}`);
    return labels.length === 0 ? "there is none" : `none has the labels ${labels.join(", ")}`;
  }
  const reasons = nodes.slice(0, shown).map((node) => {
    const taint = obstacle(node, tolerations);
    return `${node.metadata?.name} ${taint === undefined ? "is no Linux" : `has the taint ${inWords(taint)}`}`;
  });
  const more = nodes.length > shown ? [`and ${nodes.length - shown} more like that`] : [];
  return [...reasons, ...more].join(", ");
}

/** Nodes that are named in one message. */
const shown = 5;

const inWords = ({ key, value, effect }: Taint): string => `${key}${value ? `=${value}` : ""}:${effect}`;
