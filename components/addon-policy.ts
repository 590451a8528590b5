import type { Addon } from "../spec/addons/addons.ts";
import type { ManifestObject } from "../spec/addons/manifests.ts";
import { isSpread } from "../spec/addons/objects.ts";
import { withoutDependents } from "./without-dependents.ts";

/** The label of every object of an addon. */
export const addonLabel = "karmada-pulumi/addon";

/** Name of the policy of an addon. */
export const policyName = (addon: string): string => `addon-${addon}`;

/**
 * Propagates everything that an addon puts into the Karmada API; undefined if its objects stay there. It names them,
 * since Karmada looks at a policy's selectors again when they change, and not when an object's labels do: one that
 * moves to another addon would stay with this policy, as it was.
 */
export function policyOf({ name, target, objects }: Addon): ManifestObject | undefined {
  if (target.kind !== "propagated") return undefined;
  const resourceSelectors = objects.filter(isSpread).map(({ apiVersion, kind, metadata: { namespace, name } }) => ({
    apiVersion,
    kind,
    ...(namespace !== undefined && { namespace }),
    name,
  }));
  if (resourceSelectors.length === 0) return undefined;
  return {
    apiVersion: "policy.karmada.io/v1alpha1",
    kind: "ClusterPropagationPolicy",
    metadata: { name: policyName(name), labels: { [addonLabel]: name }, annotations: withoutDependents },
    spec: {
      resourceSelectors,
      placement: {
        ...(target.members && { clusterAffinity: { clusterNames: target.members } }),
        ...(target.labels && { clusterAffinity: { labelSelector: { matchLabels: target.labels } } }),
      },
    },
  };
}
