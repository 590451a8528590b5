import * as pulumi from "@pulumi/pulumi";
import type { ManifestObject } from "../spec/addons/manifests.ts";

/**
 * An object of any kind in any cluster, from a manifest. The contents of a Secret are secret in the state. A manifest
 * that moves to another version of its API is an update of the same object.
 *
 * @param formerly by what else Pulumi may know it
 */
export class KubernetesObject extends pulumi.CustomResource {
  constructor(
    name: string,
    object: ManifestObject,
    opts: pulumi.CustomResourceOptions,
    formerly: readonly pulumi.Alias[] = [],
  ) {
    const token = tokenOf(object.apiVersion, object.kind);
    const [group] = object.apiVersion.split("/").slice(0, -1);
    const apis = versionsOf(group).map((version) => (group === undefined ? version : `${group}/${version}`));
    const others = apis.map((api) => tokenOf(api, object.kind));
    const types = others.filter((type) => type !== token).map((type) => ({ type }));
    const aliases = [
      ...types,
      ...formerly.flatMap((alias) => [alias, ...types.map((type) => ({ ...alias, ...type }))]),
    ];
    super(
      token,
      name,
      object.kind === "Secret" ? sealed(object) : { ...object },
      pulumi.mergeOptions(opts, { aliases, ...(object.kind === "Secret" && { additionalSecretOutputs: contents }) }),
    );
  }
}

const tokenOf = (apiVersion: string, kind: string): string =>
  `kubernetes:${apiVersion.includes("/") ? apiVersion : `core/${apiVersion}`}:${kind}`;

/** The group's versions, those that are in use or were. */
const versionsOf = (group: string | undefined): readonly string[] => settled.get(group) ?? versions;

/**
 * Versions of the groups of Kubernetes that most objects of manifests are in: each alias costs time for each object,
 * and these versions change no more. https://kubernetes.io/docs/reference/using-api/deprecation-guide/
 */
const settled: ReadonlyMap<string | undefined, readonly string[]> = new Map([
  [undefined, ["v1"]],
  ["apps", ["v1"]],
  ["apiextensions.k8s.io", ["v1beta1", "v1"]],
  ["apiregistration.k8s.io", ["v1beta1", "v1"]],
  ["rbac.authorization.k8s.io", ["v1beta1", "v1"]],
]);

/** Those that APIs pass through. https://kubernetes.io/docs/reference/using-api/#api-versioning */
const versions = [
  ...["v1alpha1", "v1alpha2", "v1alpha3", "v1alpha4", "v1beta1", "v1beta2", "v1beta3", "v1beta4", "v1"],
  ...["v2alpha1", "v2alpha2", "v2beta1", "v2beta2", "v2beta3", "v2"],
  ...["v3alpha1", "v3beta1", "v3"],
];

const contents = ["data", "stringData"];

const sealed = (object: ManifestObject): pulumi.Inputs =>
  Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, contents.includes(key) ? pulumi.secret(value) : value]),
  );
