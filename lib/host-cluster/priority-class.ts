import type { KubeClient, KubeObject } from "../kube/client.ts";
import { error, type Finding, type HostClusterNeeds } from "./needs.ts";

/** Finds that there is no such priority class: no pod would be made. */
export async function judgePriorityClass(
  client: KubeClient,
  { priorityClass: wanted }: Pick<HostClusterNeeds, "priorityClass">,
): Promise<Finding[]> {
  if (wanted === undefined) return [];
  const { items } = await client.get<{ items: KubeObject[] }>("/apis/scheduling.k8s.io/v1/priorityclasses");
  const there = items.map(({ metadata }) => metadata?.name);
  if (there.includes(wanted)) return [];
  return [
    error(
      "priorityClass",
      `the host cluster has no priority class "${wanted}", want one that is there in placement.priorityClass: ${there.join(", ")}`,
    ),
  ];
}
