import type { KubeClient, KubeObject } from "../kube/client.ts";
import { objectTitle } from "../kube/object-title.ts";
import { notReady } from "./registration.ts";
import { paths } from "./names.ts";
import { lacking, unknownKind } from "./lacking.ts";
import { inMembers, lookAt, type RolledOut, versionOf } from "./rolled-out.ts";

/** Objects of the Karmada API that a policy brings to members. */
export interface Rollout {
  /** The ClusterPropagationPolicy. */
  readonly policy: string;
  readonly objects: readonly RolledOut[];
  /** Members that the policy chooses if nothing stands in the way. It may choose others too. */
  readonly members: readonly string[];
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
export function describeMissing({ object, member, reason }: Missing): string {
  return `${objectTitle(object)}${member === undefined ? "" : ` in ${member}`}: ${reason}`;
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
