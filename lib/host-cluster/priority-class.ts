import type { KubeClient, KubeObject } from "../kube/client.ts";
import { error, type Finding, type HostClusterNeeds } from "./needs.ts";

/** Finds priority classes that are not there: no pod would be made. */
export async function judgePriorityClass(
  client: KubeClient,
  { priorityClass, ownPriorityClasses = {} }: Pick<HostClusterNeeds, "priorityClass" | "ownPriorityClasses">,
): Promise<Finding[]> {
  const wanted = [
    ...(priorityClass === undefined ? [] : [["placement", priorityClass] as const]),
    ...Object.entries(ownPriorityClasses).map(([program, own]) => [`placement.pods.${program}`, own] as const),
  ];
  if (wanted.length === 0) return [];
  const { items } = await client.get<{ items: KubeObject[] }>("/apis/scheduling.k8s.io/v1/priorityclasses");
  const there = items.map(({ metadata }) => metadata?.name);
  const missing = wanted.filter(([, name]) => !there.includes(name));
  return missing.map(([where, name]) =>
    error(
      "priorityClass",
      `the host cluster has no priority class "${name}", want one that is there in ${where}.priorityClass: ${there.join(", ")}`,
    ),
  );
}
