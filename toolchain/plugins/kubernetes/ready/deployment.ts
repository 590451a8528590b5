import { annotation } from "../annotations.ts";
import { at, nameOf, textAt } from "../object.ts";
import type { Field, KubeObject } from "../object.ts";
import { podProblems } from "./pod.ts";
import { conditionsOf, core, done, isOwnedBy, numberAt, spoken } from "./rule.ts";
import type { Rule, Status, View } from "./rule.ts";

const REVISION = "deployment.kubernetes.io/revision";

/** Rolled out: available, its newest ReplicaSet has the pods it wants, and its volumes are bound. */
export const deploymentRule: Rule = {
  ...spoken,
  onRead: true,
  related: [{ group: "apps", version: "v1", kind: "ReplicaSet" }, core("Pod"), core("PersistentVolumeClaim")],
  judge(view) {
    const { object } = view;
    const revision = annotation(object, REVISION);
    const observed = at(object, "status", "observedGeneration") === at(object, "metadata", "generation");
    if (!observed && !view.once) return { ready: false, problems: problemsOf(view, revision) };
    const { available, progressed, replicaSetReady, unbound } = factsOf(view, revision);
    const ready =
      available &&
      replicaSetReady &&
      unbound.length === 0 &&
      (revision === "1" || progressed) &&
      (view.once || isRolledOut(object));
    return {
      ready,
      status: [
        ...statusOf(view, revision),
        ...(ready ? [["info", done("Deployment initialization complete")] as const] : []),
      ],
      problems: problemsOf(view, revision),
    };
  },
};

/**
 * Whether its pods are of the newest revision, as for `kubectl rollout status`: everything else still refers to the
 * last rollout when strategy Recreate has ended the old pods and not created new ones.
 */
function isRolledOut(object: KubeObject): boolean {
  const wanted = (at(object, "spec", "replicas") as number | undefined) ?? 1;
  return at(object, "spec", "paused") === true || numberAt(object, "status", "updatedReplicas") >= wanted;
}

function factsOf({ object, previous, related }: View, revision: string) {
  const conditions = revision === "" ? [] : conditionsOf(object);
  const has = (wanted: string, reason?: string) =>
    conditions.some(
      ({ type, status, reason: why }) =>
        type === wanted && status === "True" && (reason === undefined || why === reason),
    );
  const replicaSet = related("ReplicaSet").find(
    (each) => isOwnedBy(each, object) && annotation(each, REVISION) === revision,
  );
  const isRollout = previous === undefined || annotation(previous, REVISION) !== revision;
  const lastRevision = previous && annotation(previous, REVISION);
  return {
    available: has("Available"),
    progressed: has("Progressing", "NewReplicaSetAvailable"),
    replicaSet,
    replicaSetReady: !!replicaSet && hasPods(replicaSet) && (!isRollout || lastRevision !== revision),
    unbound: claimsOf(object, related("PersistentVolumeClaim")).filter(
      (claim) => textAt(claim, "status", "phase") !== "Bound",
    ),
  };
}

function desiredOf(replicaSet: KubeObject): number {
  return (at(replicaSet, "spec", "replicas") as number | undefined) ?? 1;
}

function hasPods(replicaSet: KubeObject): boolean {
  return numberAt(replicaSet, "status", "readyReplicas") >= desiredOf(replicaSet);
}

function statusOf(view: View, revision: string): Status[] {
  const { replicaSet, replicaSetReady, unbound } = factsOf(view, revision);
  const status: Status[] = conditionErrors(view.object).map((message) => ["warning", message]);
  if (replicaSet && !replicaSetReady) {
    const ready = numberAt(replicaSet, "status", "readyReplicas");
    status.push([
      "info",
      `Waiting for app ReplicaSet to be available (${ready}/${desiredOf(replicaSet)} Pods available)`,
    ]);
  }
  if (replicaSet && replicaSetReady && at(replicaSet, "spec", "replicas") === 0) {
    status.push(["warning", `Replicas scaled to 0 for Deployment ${JSON.stringify(nameOf(view.object))}`]);
  }
  for (const claim of unbound) {
    const phase = textAt(claim, "status", "phase");
    status.push([
      "warning",
      `PersistentVolumeClaim: [${nameOf(claim)}] is not ready. status.phase currently at: ${phase}`,
    ]);
  }
  return status;
}

function problemsOf(view: View, revision: string): string[] {
  const { available, progressed, replicaSet, replicaSetReady, unbound } = factsOf(view, revision);
  const problems = conditionErrors(view.object);
  if (unbound.length > 0) {
    problems.push(`Failed to bind PersistentVolumeClaim(s): ${JSON.stringify(unbound.map(nameOf).join(","))}`);
  }
  if (!available) problems.push("Minimum number of live Pods was not attained");
  else if (revision === "1" ? !replicaSetReady : !progressed) {
    problems.push("Minimum number of Pods to consider the application live was not attained");
  } else if (!replicaSetReady) {
    problems.push("Attempted to roll forward to new ReplicaSet, but minimum number of Pods did not become live");
  }
  const pods = view.related("Pod").filter((pod) => isOwnedBy(pod, replicaSet));
  return [...problems, ...pods.flatMap(podProblems)];
}

function conditionErrors(deployment: KubeObject): string[] {
  if (annotation(deployment, REVISION) === "") return [];
  return conditionsOf(deployment)
    .filter(({ type, status }) => ["Progressing", "Available"].includes(type) && status !== "True")
    .filter(({ reason, message }) => reason !== undefined && message !== undefined)
    .map(({ reason, message }) => `[${reason}] ${message}`);
}

/** The claims the pods of the deployment use. */
function claimsOf(deployment: KubeObject, claims: readonly KubeObject[]): readonly KubeObject[] {
  const volumes = at(deployment, "spec", "template", "spec", "volumes");
  const used = (Array.isArray(volumes) ? volumes : []).map((volume: Field) =>
    textAt(volume as KubeObject, "persistentVolumeClaim", "claimName"),
  );
  return claims.filter((claim) => used.includes(nameOf(claim)));
}
