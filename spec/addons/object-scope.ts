import type { ManifestObject } from "./manifests.ts";

type Typed = Pick<ManifestObject, "apiVersion" | "kind">;

/** The group of an object's API; empty for the first one. */
export const groupOf = ({ apiVersion }: Pick<Typed, "apiVersion">): string =>
  apiVersion.includes("/") ? apiVersion.split("/")[0]! : "";

/** The identity of an object in a cluster, whatever the version of its API. */
export function identityOf(object: ManifestObject): string {
  const { name, namespace } = object.metadata;
  return `${object.kind}${groupOf(object) && `.${groupOf(object)}`} ${namespace ? `${namespace}/` : ""}${name}`;
}

/** Whether objects live in a namespace, by `group/Kind`, as CustomResourceDefinitions say. */
export type CustomScopes = ReadonlyMap<string, boolean>;

/** Scopes of the kinds that these objects define. */
export function customScopes(objects: readonly ManifestObject[]): CustomScopes {
  return new Map(
    objects.filter(isCrd).map((crd) => {
      const spec = (crd["spec"] ?? {}) as { group?: string; scope?: string; names?: { kind?: string } };
      return [`${spec.group}/${spec.names?.kind}`, spec.scope === "Namespaced"];
    }),
  );
}

export const isCrd = (object: Typed): boolean =>
  object.kind === "CustomResourceDefinition" && groupOf(object) === "apiextensions.k8s.io";

export const isNamespace = (object: Typed): boolean => object.kind === "Namespace" && groupOf(object) === "";

/** Whether objects of the kind live in a namespace; undefined when only the cluster knows. */
export function isNamespaced(object: Typed, custom: CustomScopes): boolean | undefined {
  const group = groupOf(object);
  const said = custom.get(`${group}/${object.kind}`);
  if (said !== undefined) return said;
  if (clusterWide[group]?.includes(object.kind)) return false;
  const isKnown = group in clusterWide || namespacedGroups.has(group) || group.endsWith(".karmada.io");
  return isKnown ? true : undefined;
}

/** Groups of Kubernetes in which everything lives in a namespace. */
const namespacedGroups: ReadonlySet<string> = new Set([
  "apps",
  "autoscaling",
  "batch",
  "coordination.k8s.io",
  "discovery.k8s.io",
  "events.k8s.io",
  "policy",
]);

/**
 * Kinds of Kubernetes and of Karmada that live in no namespace, as the two say of their APIs:
 * https://kubernetes.io/docs/reference/kubernetes-api/, https://github.com/karmada-io/karmada/tree/v1.18.2/pkg/apis
 */
const clusterWide: Readonly<Record<string, readonly string[]>> = {
  "": ["Namespace", "Node", "PersistentVolume"],
  "admissionregistration.k8s.io": [
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
  ],
  "apiextensions.k8s.io": ["CustomResourceDefinition"],
  "apiregistration.k8s.io": ["APIService"],
  "certificates.k8s.io": ["CertificateSigningRequest", "ClusterTrustBundle"],
  "flowcontrol.apiserver.k8s.io": ["FlowSchema", "PriorityLevelConfiguration"],
  "networking.k8s.io": ["IngressClass", "IPAddress", "ServiceCIDR"],
  "node.k8s.io": ["RuntimeClass"],
  "rbac.authorization.k8s.io": ["ClusterRole", "ClusterRoleBinding"],
  "resource.k8s.io": ["DeviceClass", "ResourceSlice"],
  "scheduling.k8s.io": ["PriorityClass"],
  "storage.k8s.io": ["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"],
  "apps.karmada.io": ["WorkloadRebalancer"],
  "cluster.karmada.io": ["Cluster"],
  "config.karmada.io": ["ResourceInterpreterCustomization", "ResourceInterpreterWebhookConfiguration"],
  "policy.karmada.io": ["ClusterOverridePolicy", "ClusterPropagationPolicy", "ClusterTaintPolicy"],
  "remedy.karmada.io": ["Remedy"],
  "search.karmada.io": ["ResourceRegistry"],
  "work.karmada.io": ["ClusterResourceBinding"],
};
