import { at, textAt } from "../object.ts";
import type { KubeObject } from "../object.ts";
import { podProblems } from "./pod.ts";
import { core, done, isOwnedBy, numberAt, spoken } from "./rule.ts";
import type { Rule, Status } from "./rule.ts";

/** Every replica ready, and of the newest revision. */
export const statefulSetRule: Rule = {
  ...spoken,
  onRead: true,
  related: [core("Pod")],
  judge({ object, related }) {
    const { revisionReady, replicasReady, current, target } = factsOf(object);
    const ready = revisionReady && replicasReady;
    const problems = [
      ...(replicasReady ? [] : [`${current} out of ${target} replicas succeeded readiness checks`]),
      ...(revisionReady
        ? []
        : [
            `StatefulSet controller failed to advance from revision ${JSON.stringify(textAt(object, "status", "currentRevision"))} ` +
              `to revision ${JSON.stringify(textAt(object, "status", "updateRevision"))}`,
          ]),
    ];
    const pods = related("Pod").filter((pod) => isOwnedBy(pod, object));
    return { ready, status: [statusOf(object)], problems: [...problems, ...pods.flatMap(podProblems)] };
  },
};

function factsOf(object: KubeObject) {
  const target = numberAt(object, "spec", "replicas");
  const readyReplicas = numberAt(object, "status", "readyReplicas");
  const generation = numberAt(object, "metadata", "generation");
  if (generation === 0 || numberAt(object, "status", "observedGeneration") < generation) {
    return { revisionReady: false, replicasReady: false, current: 0, target };
  }
  const allReady = target === numberAt(object, "status", "replicas") && target === readyReplicas;
  if (generation > 1 && textAt(object, "spec", "updateStrategy", "type") === "OnDelete") {
    return { revisionReady: true, replicasReady: allReady, current: readyReplicas, target };
  }
  const revision = textAt(object, "status", "currentRevision");
  const revisionReady = revision !== "" && revision === textAt(object, "status", "updateRevision");
  const updated = numberAt(object, "status", "updatedReplicas");
  return {
    revisionReady,
    replicasReady: allReady && target === numberAt(object, "status", "currentReplicas"),
    current: revisionReady ? readyReplicas : Math.min(readyReplicas, updated),
    target,
  };
}

function statusOf(object: KubeObject): Status {
  const { revisionReady, replicasReady, current, target } = factsOf(object);
  if (revisionReady && replicasReady) return ["info", done("StatefulSet initialization complete")];
  if (((at(object, "metadata", "generation") as number | undefined) ?? 0) <= 1) {
    return ["info", `[1/2] Waiting for StatefulSet to create Pods (${current}/${target} Pods ready)`];
  }
  return replicasReady
    ? ["info", "[2/3] Waiting for StatefulSet to update .status.currentRevision"]
    : ["info", `[1/3] Waiting for StatefulSet update to roll out (${current}/${target} Pods ready)`];
}
