import { at } from "../object.ts";
import type { KubeObject } from "../object.ts";
import { podProblems } from "./pod.ts";
import { core, done, isOwnedBy, numberAt } from "./rule.ts";
import type { Rule, Status } from "./rule.ts";

/** On every node it should be on: current, updated, available and ready. */
export const daemonSetRule: Rule = {
  onRead: true,
  related: [core("Pod")],
  judge({ object, related }) {
    const missing = missingOf(object);
    const desired = numberAt(object, "status", "desiredNumberScheduled");
    const message = missing ?? done(`All replicas scheduled as expected. Replicas: ${desired}`);
    const pods = related("Pod").filter((pod) => isOwnedBy(pod, object));
    return {
      ready: missing === undefined,
      status: [["info", message], ...pods.flatMap(podProblems).map((each): Status => ["warning", each])],
    };
  },
};

function missingOf(object: KubeObject): string | undefined {
  const generation = numberAt(object, "metadata", "generation");
  const observed = at(object, "status", "observedGeneration");
  if (observed === undefined) return "DaemonSet status.observedGeneration not found";
  if (observed !== generation) {
    return `DaemonSet generation is ${generation}, but latest observed generation is ${String(observed)}`;
  }
  const desired = numberAt(object, "status", "desiredNumberScheduled");
  for (const [word, field] of counts) {
    const count = numberAt(object, "status", field);
    if (desired > count) return `${word}: ${count}/${desired}`;
  }
  return undefined;
}

const counts = [
  ["Current", "currentNumberScheduled"],
  ["Updated", "updatedNumberScheduled"],
  ["Available", "numberAvailable"],
  ["Ready", "numberReady"],
] as const;
