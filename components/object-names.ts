/**
 * By what Pulumi knows objects in clusters: by what they are there, and not by who declares them. One that moves from
 * an addon to another, or between an addon and `policies`, is the same resource. As another one it would be taken over
 * under its new name first, and deleted under its former one last of all.
 */
import * as pulumi from "@pulumi/pulumi";
import type { ManifestObject } from "../spec/addons/manifests.ts";

/** What is said of an object for its name. */
type Named = Pick<ManifestObject, "kind"> & {
  readonly metadata: Pick<ManifestObject["metadata"], "name" | "namespace">;
};

/** By what Pulumi knows an object, and by what else it may. */
export interface ObjectNames {
  readonly name: string;
  readonly formerly: readonly pulumi.Alias[];
}

/** A cluster that addons go into. */
export type ClusterKey = "karmada" | "host" | `member-${string}`;

export const addonType = "karmada:index:Addon";
export const addonName = (name: string, addon: string): string => `${name}-addon-${addon}`;
export const policiesType = "karmada:policies:Policies";
export const policiesName = (name: string): string => `${name}-policies`;

/** By what Pulumi knows an addon's object. @param name of the deployment's resources */
export const addonObjectName = (name: string, cluster: ClusterKey, object: Named): string =>
  `${name}-addons-${cluster}/${keyOf(object)}`;

/** By what Pulumi knows a policy. @param name of the resource of all policies */
export const policyObjectName = (name: string, object: Named): string => `${name}-${keyOf(object)}`;

/** As an object of the addon before names were without it. @param member that it is in, if any */
export const asNamedByAddon = (
  name: string,
  addon: string,
  member: string | undefined,
  object: Named,
): pulumi.Alias => ({
  name: [addonName(name, addon), member, keyOf(object)].filter((part) => part !== undefined).join("/"),
});

/** As one of an addon in the Karmada API, whichever it is: their URNs differ in nothing. */
export const asOfAddon = (name: string, object: Named, karmada: pulumi.Resource): pulumi.Alias => ({
  name: addonObjectName(name, "karmada", object),
  parent: pulumi.createUrn(name, addonType, karmada),
});

/** As one of `policies`. */
export const asPolicy = (name: string, object: Named, karmada: pulumi.Resource): pulumi.Alias => ({
  name: policyObjectName(policiesName(name), object),
  parent: pulumi.createUrn(policiesName(name), policiesType, karmada),
});

const keyOf = ({ kind, metadata: { namespace, name } }: Named): string =>
  [kind, namespace, name].filter((part) => part !== undefined).join("/");
