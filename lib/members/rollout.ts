import type { KubeClient, KubeObject } from "../kube/client.ts";
import { isCrd } from "../../spec/object-scope.ts";
import { notReady } from "./registration.ts";
import { paths } from "./names.ts";

/** Objects of the Karmada API that a policy brings to members. */
export interface Rollout {
  /** The ClusterPropagationPolicy. */
  readonly policy: string;
  readonly objects: readonly RolledOut[];
  /** Members that the policy chooses if nothing stands in the way. It may choose others too. */
  readonly members: readonly string[];
}

export interface RolledOut {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** Whether it has to be ready there, rather than merely exist. */
  readonly ready: boolean;
}

/** How far it has come. */
export interface RolloutNow {
  readonly missing: readonly Missing[];
  /** Members that have everything. */
  readonly members: readonly string[];
  /** Members that nothing can be propagated to, or of which nothing is known, with the reason. */
  readonly leftOut: readonly string[];
  /** Whether Karmada's status shows for every object that it is about its newest version. */
  readonly exact: boolean;
}

/** What has not arrived, or is not ready. */
export interface Missing {
  readonly object: RolledOut;
  /** None while Karmada has not chosen any. */
  readonly member?: string;
  readonly reason: string;
}

/** Looks at the progress of everything: what karmada-scheduler has chosen, and what members have reported. */
export async function lookAtRollout(plane: KubeClient, rollout: Rollout): Promise<RolloutNow> {
  const [{ items }, ...found] = await Promise.all([
    plane.get<{ items: KubeObject[] }>(paths.clusters),
    ...rollout.objects.map((object) => lookAt(plane, object)),
  ]);
  const clusters = new Map(items.map((cluster) => [cluster.metadata?.name ?? "", cluster]));
  const out = new Map<string, string>();
  const chosen = new Set<string>();
  const missing = found.flatMap((seen): Missing[] => {
    const { object, binding } = seen;
    if (binding === undefined) return [{ object, reason: "Karmada has not seen it yet" }];
    const refusal = whyNotPlaced(binding);
    // The scheduler updates its observed generation only when it has found a placement.
    if (binding.status?.schedulerObservedGeneration !== binding.metadata?.generation && refusal === undefined)
      return [{ object, reason: "karmada-scheduler has not looked at it yet" }];
    const placed = namesOf(binding.spec?.clusters);
    const wanted = binding.metadata?.annotations?.[policyName] === rollout.policy ? rollout.members : [];
    return [...new Set([...placed, ...wanted])].flatMap((member) => {
      const isPlaced = placed.includes(member);
      const why = whyOut(clusters.get(member), isPlaced);
      if (why !== undefined) {
        out.set(member, why);
        return [];
      }
      chosen.add(member);
      const reason = isPlaced
        ? (lacking(seen, member) ?? unknownKind(object, clusters.get(member)))
        : (refusal ?? "karmada-scheduler has not chosen it");
      return reason === undefined ? [] : [{ object, member, reason }];
    });
  });
  return {
    missing,
    members: [...chosen].filter((member) => !missing.some((each) => each.member === member)).sort(),
    leftOut: [...out].map(([member, why]) => `${member}, which ${why}`).sort(),
    exact: found.every(({ binding }) => inMembers(binding).every(({ status }) => versionOf(status) !== undefined)),
  };
}

/** `Deployment default/web in oslo: 0 of 2 replicas are ready`. */
export function describeMissing({ object: { kind, namespace, name }, member, reason }: Missing): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}${member === undefined ? "" : ` in ${member}`}: ${reason}`;
}

interface Seen {
  readonly object: RolledOut;
  readonly binding: KubeObject | undefined;
  /** The object in the Karmada API, if it is a workload: its status tells which version a member has. */
  readonly template: KubeObject | undefined;
}

async function lookAt(plane: KubeClient, object: RolledOut): Promise<Seen> {
  const path = templatePath(object);
  const [binding, template] = await Promise.all([plane.find(bindingPath(object)), path && plane.find(path)]);
  return { object, binding, template: template || undefined };
}

/**
 * Path of the object in the Karmada API, for kinds in whose status Karmada keeps the version that members have;
 * undefined for others.
 */
export function templatePath({ apiVersion, kind, namespace, name }: RolledOut): string | undefined {
  if (apiVersion !== "apps/v1" || !versioned.has(kind)) return undefined;
  return `/apis/apps/v1/namespaces/${namespace}/${kind.toLowerCase()}s/${name}`;
}

const versioned: ReadonlySet<string> = new Set(["Deployment", "StatefulSet", "DaemonSet"]);

/** Karmada's own rule (its pkg/util/names, GenerateBindingName). */
function bindingPath({ kind, namespace, name }: RolledOut): string {
  const binding = `${name.replaceAll(":", ".")}-${kind}`.toLowerCase();
  const api = "/apis/work.karmada.io/v1alpha2";
  return namespace === undefined
    ? `${api}/clusterresourcebindings/${binding}`
    : `${api}/namespaces/${namespace}/resourcebindings/${binding}`;
}

const policyName = "clusterpropagationpolicy.karmada.io/name";

const namesOf = (clusters: readonly { readonly name: string }[] = []): string[] => clusters.map(({ name }) => name);

/** Why nothing is known of a member, or can be propagated to it. */
function whyOut(cluster: KubeObject | undefined, isPlaced: boolean): string | undefined {
  if (cluster === undefined) return "is not registered";
  if (cluster.metadata?.deletionTimestamp !== undefined) return "is leaving";
  const why = notReady(cluster);
  if (why !== undefined || isPlaced) return why && `is ${why}`;
  const taint = ((cluster.spec?.taints ?? []) as { readonly key: string; readonly effect: string }[])[0];
  return taint && `has the taint ${taint.key}:${taint.effect}`;
}

/** Why the scheduler has found no placement. */
function whyNotPlaced({ status }: KubeObject): string | undefined {
  const conditions = (status?.conditions ?? []) as readonly Record<string, string>[];
  const failed = conditions.find((condition) => condition["type"] === "Scheduled" && condition["status"] === "False");
  return failed && `karmada-scheduler has found no place: ${failed["message"]}`;
}

interface InMember {
  readonly clusterName: string;
  readonly applied?: boolean;
  readonly appliedMessage?: string;
  readonly health?: "Healthy" | "Unhealthy" | "Unknown";
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- differs per kind
  readonly status?: Record<string, any>;
}

/** What is missing of an object in a member that Karmada has chosen. */
function lacking({ object, binding, template }: Seen, member: string): string | undefined {
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
function unknownKind({ apiVersion, kind, name, ready }: RolledOut, cluster: KubeObject | undefined) {
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

const inMembers = (binding: KubeObject | undefined): readonly InMember[] => binding?.status?.aggregatedStatus ?? [];

/** The generation, in the Karmada API, of what a member has. */
const versionOf = (status: InMember["status"]): unknown => status?.["resourceTemplateGeneration"];

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
