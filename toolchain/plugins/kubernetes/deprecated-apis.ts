/** Major and minor. */
export type Version = readonly [major: number, minor: number];

export interface Deprecation {
  /** First version of the server that has the replacement. */
  readonly since: Version;
  /** First version of the server without the old API. */
  readonly removed?: Version;
  readonly replacement: string;
}

/** https://kubernetes.io/docs/reference/using-api/deprecation-guide/ */
export const deprecatedApis: Readonly<Record<string, Deprecation>> = {
  "admissionregistration.k8s.io/v1alpha1/MutatingAdmissionPolicy": {
    since: [1, 32],
    removed: [1, 38],
    replacement: "admissionregistration.k8s.io/v1alpha1/MutatingAdmissionPolicy",
  },
  "admissionregistration.k8s.io/v1alpha1/MutatingAdmissionPolicyBinding": {
    since: [1, 32],
    removed: [1, 38],
    replacement: "admissionregistration.k8s.io/v1alpha1/MutatingAdmissionPolicyBinding",
  },
  "admissionregistration.k8s.io/v1alpha1/ValidatingAdmissionPolicy": {
    since: [1, 26],
    removed: [1, 32],
    replacement: "admissionregistration.k8s.io/v1alpha1/ValidatingAdmissionPolicy",
  },
  "admissionregistration.k8s.io/v1alpha1/ValidatingAdmissionPolicyBinding": {
    since: [1, 26],
    removed: [1, 32],
    replacement: "admissionregistration.k8s.io/v1alpha1/ValidatingAdmissionPolicyBinding",
  },
  "admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicy": {
    since: [1, 36],
    removed: [1, 40],
    replacement: "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy",
  },
  "admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicyBinding": {
    since: [1, 36],
    removed: [1, 40],
    replacement: "admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding",
  },
  "admissionregistration.k8s.io/v1beta1/MutatingWebhookConfiguration": {
    since: [1, 16],
    removed: [1, 22],
    replacement: "admissionregistration.k8s.io/v1/MutatingWebhookConfiguration",
  },
  "admissionregistration.k8s.io/v1beta1/ValidatingAdmissionPolicy": {
    since: [1, 28],
    removed: [1, 34],
    replacement: "admissionregistration.k8s.io/v1beta1/ValidatingAdmissionPolicy",
  },
  "admissionregistration.k8s.io/v1beta1/ValidatingAdmissionPolicyBinding": {
    since: [1, 28],
    removed: [1, 34],
    replacement: "admissionregistration.k8s.io/v1beta1/ValidatingAdmissionPolicyBinding",
  },
  "admissionregistration.k8s.io/v1beta1/ValidatingWebhookConfiguration": {
    since: [1, 16],
    removed: [1, 22],
    replacement: "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration",
  },
  "apiextensions.k8s.io/v1beta1/CustomResourceDefinition": {
    since: [1, 16],
    removed: [1, 22],
    replacement: "apiextensions.k8s.io/v1/CustomResourceDefinition",
  },
  "apiregistration.k8s.io/v1beta1/APIService": { since: [1, 10], replacement: "apiregistration.k8s.io/v1/APIService" },
  "apps/v1beta1/ControllerRevision": { since: [1, 9], removed: [1, 16], replacement: "apps/v1/ControllerRevision" },
  "apps/v1beta1/Deployment": { since: [1, 9], removed: [1, 16], replacement: "apps/v1/Deployment" },
  "apps/v1beta1/DeploymentRollback": { since: [1, 9], removed: [1, 16], replacement: "apps/v1/DeploymentRollback" },
  "apps/v1beta1/Scale": { since: [1, 2], removed: [1, 16], replacement: "autoscaling/v1/Scale" },
  "apps/v1beta1/StatefulSet": { since: [1, 9], removed: [1, 16], replacement: "apps/v1/StatefulSet" },
  "apps/v1beta2/ControllerRevision": { since: [1, 9], removed: [1, 16], replacement: "apps/v1/ControllerRevision" },
  "apps/v1beta2/DaemonSet": { since: [1, 9], removed: [1, 16], replacement: "apps/v1/DaemonSet" },
  "apps/v1beta2/Deployment": { since: [1, 9], removed: [1, 16], replacement: "apps/v1/Deployment" },
  "apps/v1beta2/ReplicaSet": { since: [1, 9], removed: [1, 16], replacement: "apps/v1/ReplicaSet" },
  "apps/v1beta2/Scale": { since: [1, 2], removed: [1, 16], replacement: "autoscaling/v1/Scale" },
  "apps/v1beta2/StatefulSet": { since: [1, 9], removed: [1, 16], replacement: "apps/v1/StatefulSet" },
  "authentication.k8s.io/v1alpha1/SelfSubjectReview": {
    since: [1, 26],
    removed: [1, 32],
    replacement: "authentication.k8s.io/v1alpha1/SelfSubjectReview",
  },
  "authentication.k8s.io/v1beta1/SelfSubjectReview": {
    since: [1, 27],
    removed: [1, 33],
    replacement: "authentication.k8s.io/v1beta1/SelfSubjectReview",
  },
  "authentication.k8s.io/v1beta1/TokenReview": {
    since: [1, 6],
    removed: [1, 22],
    replacement: "authentication.k8s.io/v1/TokenReview",
  },
  "authorization.k8s.io/v1beta1/LocalSubjectAccessReview": {
    since: [1, 19],
    removed: [1, 22],
    replacement: "authorization.k8s.io/v1/LocalSubjectAccessReview",
  },
  "authorization.k8s.io/v1beta1/SelfSubjectAccessReview": {
    since: [1, 19],
    removed: [1, 22],
    replacement: "authorization.k8s.io/v1/SelfSubjectAccessReview",
  },
  "authorization.k8s.io/v1beta1/SelfSubjectRulesReview": {
    since: [1, 19],
    removed: [1, 22],
    replacement: "authorization.k8s.io/v1/SelfSubjectRulesReview",
  },
  "authorization.k8s.io/v1beta1/SubjectAccessReview": {
    since: [1, 6],
    removed: [1, 22],
    replacement: "authorization.k8s.io/v1/SubjectAccessReview",
  },
  "autoscaling/v2beta1/HorizontalPodAutoscaler": {
    since: [1, 23],
    removed: [1, 25],
    replacement: "autoscaling/v2/HorizontalPodAutoscaler",
  },
  "autoscaling/v2beta2/HorizontalPodAutoscaler": {
    since: [1, 23],
    removed: [1, 26],
    replacement: "autoscaling/v2/HorizontalPodAutoscaler",
  },
  "batch/v1beta1/CronJob": { since: [1, 21], removed: [1, 25], replacement: "batch/v1/CronJob" },
  "batch/v2alpha1/CronJob": { since: [1, 21], removed: [1, 21], replacement: "batch/v1/CronJob" },
  "certificates.k8s.io/v1alpha1/ClusterTrustBundle": {
    since: [1, 26],
    removed: [1, 37],
    replacement: "certificates.k8s.io/v1alpha1/ClusterTrustBundle",
  },
  "certificates.k8s.io/v1beta1/CertificateSigningRequest": {
    since: [1, 19],
    removed: [1, 22],
    replacement: "certificates.k8s.io/v1/CertificateSigningRequest",
  },
  "certificates.k8s.io/v1beta1/ClusterTrustBundle": {
    since: [1, 33],
    removed: [1, 40],
    replacement: "certificates.k8s.io/v1beta1/ClusterTrustBundle",
  },
  "certificates.k8s.io/v1beta1/PodCertificateRequest": {
    since: [1, 35],
    removed: [1, 41],
    replacement: "certificates.k8s.io/v1beta1/PodCertificateRequest",
  },
  "coordination.k8s.io/v1alpha2/LeaseCandidate": {
    since: [1, 32],
    removed: [1, 38],
    replacement: "coordination.k8s.io/v1alpha2/LeaseCandidate",
  },
  "coordination.k8s.io/v1beta1/Lease": {
    since: [1, 14],
    removed: [1, 22],
    replacement: "coordination.k8s.io/v1/Lease",
  },
  "coordination.k8s.io/v1beta1/LeaseCandidate": {
    since: [1, 33],
    removed: [1, 39],
    replacement: "coordination.k8s.io/v1beta1/LeaseCandidate",
  },
  "discovery.k8s.io/v1beta1/EndpointSlice": {
    since: [1, 21],
    removed: [1, 25],
    replacement: "discovery.k8s.io/v1/EndpointSlice",
  },
  "events.k8s.io/v1beta1/Event": { since: [1, 8], removed: [1, 25], replacement: "events.k8s.io/v1beta1/Event" },
  "extensions/v1beta1/DaemonSet": { since: [1, 9], removed: [1, 16], replacement: "apps/v1/DaemonSet" },
  "extensions/v1beta1/Deployment": { since: [1, 9], removed: [1, 16], replacement: "apps/v1/Deployment" },
  "extensions/v1beta1/DeploymentRollback": {
    since: [1, 2],
    removed: [1, 16],
    replacement: "extensions/v1beta1/DeploymentRollback",
  },
  "extensions/v1beta1/Ingress": { since: [1, 19], removed: [1, 22], replacement: "networking.k8s.io/v1/Ingress" },
  "extensions/v1beta1/NetworkPolicy": {
    since: [1, 7],
    removed: [1, 16],
    replacement: "networking.k8s.io/v1/NetworkPolicy",
  },
  "extensions/v1beta1/PodSecurityPolicy": {
    since: [1, 3],
    removed: [1, 16],
    replacement: "policy/v1beta1/PodSecurityPolicy",
  },
  "extensions/v1beta1/ReplicaSet": { since: [1, 9], removed: [1, 16], replacement: "apps/v1/ReplicaSet" },
  "extensions/v1beta1/Scale": { since: [1, 1], removed: [1, 16], replacement: "extensions/v1beta1/Scale" },
  "flowcontrol.apiserver.k8s.io/v1beta1/FlowSchema": {
    since: [1, 26],
    removed: [1, 26],
    replacement: "flowcontrol.apiserver.k8s.io/v1beta3/FlowSchema",
  },
  "flowcontrol.apiserver.k8s.io/v1beta1/PriorityLevelConfiguration": {
    since: [1, 26],
    removed: [1, 26],
    replacement: "flowcontrol.apiserver.k8s.io/v1beta3/PriorityLevelConfiguration",
  },
  "flowcontrol.apiserver.k8s.io/v1beta2/FlowSchema": {
    since: [1, 26],
    removed: [1, 29],
    replacement: "flowcontrol.apiserver.k8s.io/v1beta3/FlowSchema",
  },
  "flowcontrol.apiserver.k8s.io/v1beta2/PriorityLevelConfiguration": {
    since: [1, 26],
    removed: [1, 29],
    replacement: "flowcontrol.apiserver.k8s.io/v1beta3/PriorityLevelConfiguration",
  },
  "flowcontrol.apiserver.k8s.io/v1beta3/FlowSchema": {
    since: [1, 29],
    removed: [1, 32],
    replacement: "flowcontrol.apiserver.k8s.io/v1/FlowSchema",
  },
  "flowcontrol.apiserver.k8s.io/v1beta3/PriorityLevelConfiguration": {
    since: [1, 29],
    removed: [1, 32],
    replacement: "flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration",
  },
  "networking.k8s.io/v1beta1/IPAddress": {
    since: [1, 31],
    removed: [1, 37],
    replacement: "networking.k8s.io/v1beta1/IPAddress",
  },
  "networking.k8s.io/v1beta1/Ingress": {
    since: [1, 19],
    removed: [1, 22],
    replacement: "networking.k8s.io/v1/Ingress",
  },
  "networking.k8s.io/v1beta1/IngressClass": {
    since: [1, 19],
    removed: [1, 22],
    replacement: "networking.k8s.io/v1/IngressClassList",
  },
  "networking.k8s.io/v1beta1/ServiceCIDR": {
    since: [1, 31],
    removed: [1, 37],
    replacement: "networking.k8s.io/v1beta1/ServiceCIDR",
  },
  "node.k8s.io/v1beta1/RuntimeClass": {
    since: [1, 13],
    removed: [1, 25],
    replacement: "node.k8s.io/v1beta1/RuntimeClass",
  },
  "policy/v1/PodSecurityPolicy": { since: [1, 9], removed: [1, 25], replacement: "policy/v1/PodSecurityPolicy" },
  "policy/v1beta1/Eviction": { since: [1, 5], removed: [1, 25], replacement: "policy/v1beta1/Eviction" },
  "policy/v1beta1/PodDisruptionBudget": {
    since: [1, 21],
    removed: [1, 25],
    replacement: "policy/v1/PodDisruptionBudget",
  },
  "policy/v1beta1/PodSecurityPolicy": {
    since: [1, 3],
    removed: [1, 25],
    replacement: "policy/v1beta1/PodSecurityPolicy",
  },
  "rbac.authorization.k8s.io/v1alpha1/ClusterRole": {
    since: [1, 8],
    removed: [1, 20],
    replacement: "rbac.authorization.k8s.io/v1/ClusterRole",
  },
  "rbac.authorization.k8s.io/v1alpha1/ClusterRoleBinding": {
    since: [1, 8],
    removed: [1, 20],
    replacement: "rbac.authorization.k8s.io/v1/ClusterRoleBinding",
  },
  "rbac.authorization.k8s.io/v1alpha1/Role": {
    since: [1, 8],
    removed: [1, 20],
    replacement: "rbac.authorization.k8s.io/v1/Role",
  },
  "rbac.authorization.k8s.io/v1alpha1/RoleBinding": {
    since: [1, 8],
    removed: [1, 20],
    replacement: "rbac.authorization.k8s.io/v1/RoleBinding",
  },
  "rbac.authorization.k8s.io/v1beta1/ClusterRole": {
    since: [1, 8],
    removed: [1, 22],
    replacement: "rbac.authorization.k8s.io/v1/ClusterRole",
  },
  "rbac.authorization.k8s.io/v1beta1/ClusterRoleBinding": {
    since: [1, 8],
    removed: [1, 22],
    replacement: "rbac.authorization.k8s.io/v1/ClusterRoleBinding",
  },
  "rbac.authorization.k8s.io/v1beta1/Role": {
    since: [1, 8],
    removed: [1, 22],
    replacement: "rbac.authorization.k8s.io/v1/Role",
  },
  "rbac.authorization.k8s.io/v1beta1/RoleBinding": {
    since: [1, 8],
    removed: [1, 22],
    replacement: "rbac.authorization.k8s.io/v1/RoleBinding",
  },
  "resource.k8s.io/v1alpha3/DeviceTaintRule": {
    since: [1, 33],
    removed: [1, 39],
    replacement: "resource.k8s.io/v1alpha3/DeviceTaintRule",
  },
  "resource.k8s.io/v1alpha3/ResourcePoolStatusRequest": {
    since: [1, 36],
    removed: [1, 42],
    replacement: "resource.k8s.io/v1alpha3/ResourcePoolStatusRequest",
  },
  "resource.k8s.io/v1beta1/DeviceClass": {
    since: [1, 33],
    removed: [1, 38],
    replacement: "resource.k8s.io/v1beta2/DeviceClass",
  },
  "resource.k8s.io/v1beta1/ResourceClaim": {
    since: [1, 33],
    removed: [1, 38],
    replacement: "resource.k8s.io/v1beta2/ResourceClaim",
  },
  "resource.k8s.io/v1beta1/ResourceClaimTemplate": {
    since: [1, 33],
    removed: [1, 38],
    replacement: "resource.k8s.io/v1beta2/ResourceClaimTemplate",
  },
  "resource.k8s.io/v1beta1/ResourceSlice": {
    since: [1, 33],
    removed: [1, 38],
    replacement: "resource.k8s.io/v1beta2/ResourceSlice",
  },
  "resource.k8s.io/v1beta2/DeviceClass": {
    since: [1, 33],
    removed: [1, 39],
    replacement: "resource.k8s.io/v1beta2/DeviceClass",
  },
  "resource.k8s.io/v1beta2/DeviceTaintRule": {
    since: [1, 36],
    removed: [1, 42],
    replacement: "resource.k8s.io/v1beta2/DeviceTaintRule",
  },
  "resource.k8s.io/v1beta2/ResourceClaim": {
    since: [1, 33],
    removed: [1, 39],
    replacement: "resource.k8s.io/v1beta2/ResourceClaim",
  },
  "resource.k8s.io/v1beta2/ResourceClaimTemplate": {
    since: [1, 33],
    removed: [1, 39],
    replacement: "resource.k8s.io/v1beta2/ResourceClaimTemplate",
  },
  "resource.k8s.io/v1beta2/ResourceSlice": {
    since: [1, 33],
    removed: [1, 39],
    replacement: "resource.k8s.io/v1beta2/ResourceSlice",
  },
  "scheduling.k8s.io/v1alpha1/PriorityClass": {
    since: [1, 14],
    removed: [1, 17],
    replacement: "scheduling.k8s.io/v1/PriorityClass",
  },
  "scheduling.k8s.io/v1beta1/PriorityClass": {
    since: [1, 14],
    removed: [1, 22],
    replacement: "scheduling.k8s.io/v1/PriorityClass",
  },
  "storage.k8s.io/v1alpha1/CSIStorageCapacity": {
    since: [1, 21],
    removed: [1, 24],
    replacement: "storage.k8s.io/v1beta1/CSIStorageCapacity",
  },
  "storage.k8s.io/v1alpha1/VolumeAttachment": {
    since: [1, 13],
    removed: [1, 24],
    replacement: "storage.k8s.io/v1/VolumeAttachment",
  },
  "storage.k8s.io/v1alpha1/VolumeAttributesClass": {
    since: [1, 34],
    removed: [1, 35],
    replacement: "storage.k8s.io/v1/VolumeAttributesClass",
  },
  "storage.k8s.io/v1beta1/CSIDriver": { since: [1, 18], removed: [1, 22], replacement: "storage.k8s.io/v1/CSIDriver" },
  "storage.k8s.io/v1beta1/CSINode": { since: [1, 17], removed: [1, 22], replacement: "storage.k8s.io/v1/CSINode" },
  "storage.k8s.io/v1beta1/CSIStorageCapacity": {
    since: [1, 24],
    removed: [1, 27],
    replacement: "storage.k8s.io/v1/CSIStorageCapacity",
  },
  "storage.k8s.io/v1beta1/StorageClass": {
    since: [1, 6],
    removed: [1, 22],
    replacement: "storage.k8s.io/v1/StorageClass",
  },
  "storage.k8s.io/v1beta1/VolumeAttachment": {
    since: [1, 13],
    removed: [1, 22],
    replacement: "storage.k8s.io/v1/VolumeAttachment",
  },
  "storage.k8s.io/v1beta1/VolumeAttributesClass": {
    since: [1, 34],
    removed: [1, 37],
    replacement: "storage.k8s.io/v1/VolumeAttributesClass",
  },
  "storagemigration.k8s.io/v1beta1/StorageVersionMigration": {
    since: [1, 35],
    removed: [1, 41],
    replacement: "storagemigration.k8s.io/v1beta1/StorageVersionMigration",
  },
  "v1/Endpoints": { since: [1, 21], replacement: "discovery.k8s.io/v1/EndpointSlice" },
};
