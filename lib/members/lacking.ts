import { isCrd } from "../../spec/addons/object-scope.ts";
import type { KubeObject } from "../kube/client.ts";
import { type InMember, inMembers, type RolledOut, type SeenObject, versionOf } from "./rolled-out.ts";

/** What is missing of an object in a member that Karmada has chosen. */
export function lacking({ object, binding, template }: SeenObject, member: string): string | undefined {
  const there = inMembers(binding).find(({ clusterName }) => clusterName === member);
  if (there?.applied !== true) return there?.appliedMessage || "not written there yet";
  const { status = {}, health } = there;
  const version = versionOf(status);
  if (version !== undefined && version !== template?.metadata?.generation) return "of an earlier version there";
  if (!object.ready) return undefined;
  if (object.kind === "Job" && object.apiVersion === "batch/v1") return unfinished(status);
  if (health === "Unhealthy") return replicas(status, template) ?? "not healthy";
  const isTold = health === "Healthy" || !toldByKarmada.has(`${object.apiVersion}/${object.kind}`);
  return isTold ? undefined : "nothing is known of it yet";
}

/**
 * Karmada asks members periodically which APIs they have, and places nothing of a kind where it does not know it: what
 * was tried too early is retried with exponential backoff, not when it learns of the API.
 */
export function unknownKind({ apiVersion, kind, name, ready }: RolledOut, cluster: KubeObject | undefined) {
  if (!ready || !isCrd({ apiVersion, kind })) return undefined;
  const [plural, ...group] = name.split(".");
  const known = (cluster?.status?.apiEnablements ?? []) as readonly Enablement[];
  const isKnown = known.some(
    ({ groupVersion, resources }) =>
      groupVersion.startsWith(`${group.join(".")}/`) && resources.some((resource) => resource.name === plural),
  );
  return isKnown ? undefined : "Karmada does not know yet that the member has this kind";
}

/** https://github.com/karmada-io/karmada/blob/v1.18.2/pkg/apis/cluster/v1alpha1/types.go (APIEnablement) */
interface Enablement {
  readonly groupVersion: string;
  readonly resources: readonly { readonly name: string }[];
}

/** Kinds whose health Karmada itself interprets (its pkg/resourceinterpreter/default/native/healthy.go). */
const toldByKarmada: ReadonlySet<string> = new Set([
  "apps/v1/DaemonSet",
  "apps/v1/Deployment",
  "apps/v1/ReplicaSet",
  "apps/v1/StatefulSet",
  "networking.k8s.io/v1/Ingress",
  "policy/v1/PodDisruptionBudget",
  "v1/PersistentVolumeClaim",
  "v1/Pod",
  "v1/Service",
]);

function unfinished({ conditions = [] }: NonNullable<InMember["status"]>): string | undefined {
  const last = (conditions as readonly Record<string, string>[]).filter(({ status }) => status === "True");
  if (last.some(({ type }) => type === "Complete")) return undefined;
  const failed = last.find(({ type }) => type === "Failed");
  return failed === undefined ? "not finished" : `failed: ${failed["reason"]}: ${failed["message"]}`;
}

function replicas(status: NonNullable<InMember["status"]>, template: KubeObject | undefined): string | undefined {
  const wanted: unknown = status["desiredNumberScheduled"] ?? template?.spec?.replicas;
  const ready: unknown = status["numberReady"] ?? status["readyReplicas"] ?? 0;
  if (wanted === undefined) return undefined;
  const updated: unknown = status["updatedNumberScheduled"] ?? status["updatedReplicas"] ?? 0;
  return `${String(ready)} of ${String(wanted)} replicas are ready, ${String(updated)} of the newest version`;
}
