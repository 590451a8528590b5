import { textAt } from "../object.ts";
import type { KubeObject } from "../object.ts";
import { conditionsOf, isOwnedBy, qualifiedName } from "./rule.ts";
import type { View } from "./rule.ts";

/**
 * Why pods of an object are not created, or not scheduled. The rules of the kinds leave that out, as the official
 * plugin does: a quota, Pod Security or a webhook that refuses pods, and nodes without room, would otherwise mean a
 * silent wait.
 */
export function heldBack({ object, related }: View): string[] {
  const refused = conditionsOf(object)
    .filter(({ type, status }) => type === "ReplicaFailure" && status === "True")
    .map(({ reason, message }) => `[${reason}] ${message}`);
  const owners = [object, ...related("ReplicaSet").filter((each) => isOwnedBy(each, object))];
  const pods = related("Pod").filter((pod) => owners.some((owner) => isOwnedBy(pod, owner)));
  return [...refused, ...pods.flatMap(homeless)];
}

function homeless(pod: KubeObject): string[] {
  if (textAt(pod, "metadata", "deletionTimestamp") !== "") return [];
  return conditionsOf(pod)
    .filter(({ type, status, message }) => type === "PodScheduled" && status === "False" && message)
    .map(({ reason, message }) => `[Pod ${qualifiedName(pod)}]: [${reason}] ${message}`);
}
