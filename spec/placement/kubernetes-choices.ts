/** What Karmada's control plane has of Kubernetes' own programs, here and as its installers build it. */

export const admissionPlugins = {
  on: ["NodeRestriction"],
  off: ["StorageObjectInUseProtection", "ServiceAccount"],
} as const;

/** The controllers Karmada needs; the token controllers serve agents that join with a token. */
export const kubeControllers = [
  "namespace",
  "garbagecollector",
  "serviceaccount-token",
  "ttl-after-finished",
  "bootstrapsigner",
  "tokencleaner",
  "csrcleaner",
  "csrsigning",
  "clusterrole-aggregation",
] as const;

/** Issuer of the Karmada API's service-account tokens, wherever it runs. */
export const serviceAccountIssuer = "https://kubernetes.default.svc.cluster.local";

export const serviceClusterIpRange = "10.96.0.0/12";
