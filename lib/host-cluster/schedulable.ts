import type { KubeClient, KubeObject } from "../kube/client.ts";
import type { PodNeeds, Toleration } from "./needs.ts";

export type Node = KubeObject & { spec?: { taints?: Taint[]; unschedulable?: boolean } };

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** Nodes with all of these labels, as the API server last heard of them. */
export async function nodesWith(client: KubeClient, labels: Readonly<Record<string, string>>): Promise<Node[]> {
  const labelSelector = Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(",");
  return (await client.get<{ items: Node[] }>("/api/v1/nodes", { query: { labelSelector, resourceVersion: "0" } }))
    .items;
}

/** Whether pods with these tolerations can be scheduled to a node. One that is unreachable or not ready has a taint. */
export const takes = (node: Node, tolerations: readonly Toleration[]): boolean =>
  isLinux(node) && obstacle(node, tolerations) === undefined;

export const isLinux = ({ metadata }: Node): boolean => (metadata?.labels?.["kubernetes.io/os"] ?? "linux") === "linux";

/** The first taint that keeps the pods away. */
export function obstacle({ spec }: Node, tolerations: readonly Toleration[]): Taint | undefined {
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

/**
 * Why none of these nodes takes the pods.
 *
 * @param taken nodes by name, each with the pod that has to be alone there
 */
export function whyNone(
  nodes: readonly Node[],
  { nodeSelector, tolerations }: Pick<PodNeeds, "nodeSelector" | "tolerations">,
  taken: ReadonlyMap<string, string> = new Map(),
): string {
  if (nodes.length === 0) {
    const labels = Object.entries(nodeSelector).map(([label, value]) => `${label}=${value}`);
    return labels.length === 0 ? "there is none" : `none has the labels ${labels.join(", ")}`;
  }
  return some(
    nodes.map((node) => {
      const { name = "" } = node.metadata ?? {};
      const taint = obstacle(node, tolerations);
      if (taint !== undefined) return `${name} has the taint ${inWords(taint)}`;
      if (!isLinux(node)) return `${name} is no Linux`;
      return `${name} has ${taken.get(name)} (placement.antiAffinity is "required")`;
    }),
  );
}

/** What is to be said of nodes, as far as it fits into one message. */
export function some(ofNodes: readonly string[]): string {
  const more = ofNodes.length > shown ? [`and ${ofNodes.length - shown} more like that`] : [];
  return [...ofNodes.slice(0, shown), ...more].join(", ");
}

const shown = 5;

const inWords = ({ key, value, effect }: Taint): string => `${key}${value ? `=${value}` : ""}:${effect}`;
