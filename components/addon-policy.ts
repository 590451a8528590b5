import type { Addon } from "../spec/addons.ts";
import { isSpread } from "../spec/addon-objects.ts";
import type { ManifestObject } from "../spec/manifests.ts";
import { nothingBelongs } from "./nothing-belongs.ts";

/** The label of every object of an addon. */
export const addonLabel = "karmada-pulumi/addon";

/** Name of the policy of an addon. */
export const policyName = (addon: string): string => `addon-${addon}`;

/** Propagates everything that an addon puts into the Karmada API; undefined if its objects stay there. */
export function policyOf({ name, target, objects }: Addon): ManifestObject | undefined {
  if (target.kind !== "propagated") return undefined;
  const kinds = new Map(
    objects.filter(isSpread).map(({ apiVersion, kind }) => [`${apiVersion}/${kind}`, { apiVersion, kind }]),
  );
  if (kinds.size === 0) return undefined;
  const labelSelector = { matchLabels: { [addonLabel]: name } };
  return {
    apiVersion: "policy.karmada.io/v1alpha1",
    kind: "ClusterPropagationPolicy",
    metadata: { name: policyName(name), labels: { [addonLabel]: name }, annotations: nothingBelongs },
    spec: {
      resourceSelectors: [...kinds.values()].map((kind) => ({ ...kind, labelSelector })),
      placement: {
        ...(target.members && { clusterAffinity: { clusterNames: target.members } }),
        ...(target.labels && { clusterAffinity: { labelSelector: { matchLabels: target.labels } } }),
      },
    },
  };
}
