/** What is known about Kubernetes' own kinds without asking a server. */
import { groupVersionOf } from "./gvk.ts";
import type { GroupVersionKind } from "./gvk.ts";

/** Whether the API is one of Kubernetes' own, and not made by a CustomResourceDefinition. */
export function isBuiltIn(groupVersion: string): boolean {
  return builtIn.has(groupVersion);
}

/** Whether the type is a list of built-in objects; a custom kind may well end in "List". */
export function isListType({ group, version, kind }: GroupVersionKind): boolean {
  return kind.endsWith("List") && isBuiltIn(groupVersionOf({ group, version, kind }));
}

/** Whether objects of a built-in kind live in a namespace; `undefined` when only the server knows. */
export function isKnownNamespaced(gvk: GroupVersionKind): boolean | undefined {
  if (!isBuiltIn(groupVersionOf(gvk))) return undefined;
  const kind = gvk.kind.replace(/Patch$/, "").replace(/List$/, "");
  if (namespaced.has(kind)) return true;
  return clusterWide.has(kind) ? false : undefined;
}

/** https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/kinds/kinds.go */
const versions: Readonly<Record<string, string>> = {
  "admissionregistration.k8s.io": "v1 v1alpha1 v1beta1",
  "apiextensions.k8s.io": "v1 v1beta1",
  "apiregistration.k8s.io": "v1 v1beta1",
  apps: "v1 v1beta1 v1beta2",
  "auditregistration.k8s.io": "v1alpha1",
  autoscaling: "v1 v2 v2beta1 v2beta2",
  batch: "v1 v1beta1 v2alpha1",
  "certificates.k8s.io": "v1 v1alpha1 v1beta1",
  "coordination.k8s.io": "v1 v1alpha1 v1alpha2 v1beta1",
  core: "v1",
  "discovery.k8s.io": "v1 v1beta1",
  "events.k8s.io": "v1 v1beta1",
  extensions: "v1beta1",
  "flowcontrol.apiserver.k8s.io": "v1 v1alpha1 v1beta1 v1beta2 v1beta3",
  meta: "v1",
  "networking.k8s.io": "v1 v1alpha1 v1beta1",
  "node.k8s.io": "v1 v1alpha1 v1beta1",
  policy: "v1 v1beta1",
  "rbac.authorization.k8s.io": "v1 v1alpha1 v1beta1",
  "resource.k8s.io": "v1 v1alpha1 v1alpha2 v1alpha3 v1beta1 v1beta2",
  "scheduling.k8s.io": "v1 v1alpha1 v1alpha2 v1beta1",
  "settings.k8s.io": "v1alpha1",
  "storage.k8s.io": "v1 v1alpha1 v1beta1",
  "storagemigration.k8s.io": "v1alpha1 v1beta1",
};
const builtIn = new Set([
  "v1",
  ...Object.entries(versions).flatMap(([group, each]) => each.split(" ").map((version) => `${group}/${version}`)),
]);

const namespaced = new Set([
  "Binding",
  "ConfigMap",
  "ControllerRevision",
  "CronJob",
  "CSIStorageCapacity",
  "DaemonSet",
  "Deployment",
  "Endpoints",
  "EndpointSlice",
  "Event",
  "HorizontalPodAutoscaler",
  "Ingress",
  "Job",
  "Lease",
  "LimitRange",
  "NetworkPolicy",
  "PersistentVolumeClaim",
  "Pod",
  "PodDisruptionBudget",
  "PodTemplate",
  "ReplicaSet",
  "ReplicationController",
  "ResourceQuota",
  "Role",
  "RoleBinding",
  "Secret",
  "Service",
  "ServiceAccount",
  "StatefulSet",
]);
const clusterWide = new Set([
  "APIService",
  "CertificateSigningRequest",
  "ClusterRole",
  "ClusterRoleBinding",
  "CSIDriver",
  "CSINode",
  "CustomResourceDefinition",
  "FlowSchema",
  "IngressClass",
  "MutatingWebhookConfiguration",
  "Namespace",
  "Node",
  "PersistentVolume",
  "PodSecurityPolicy",
  "PriorityClass",
  "PriorityLevelConfiguration",
  "RuntimeClass",
  "StorageClass",
  "ValidatingWebhookConfiguration",
  "VolumeAttachment",
]);
