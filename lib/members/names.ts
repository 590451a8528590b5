/**
 * The names Karmada itself gives, on both sides (karmadactl join,
 * https://karmada.io/docs/userguide/clustermanager/cluster-registration). The impersonator's cannot be chosen: Karmada
 * binds its rights to this name, in a namespace named like the secret's.
 */
export const clusterNamespace = "karmada-cluster";
export const impersonator = "karmada-impersonator";
export const systemLabels = { "karmada.io/system": "true" };

export const serviceAccountOf = (cluster: string) => `karmada-${cluster}`;
/** Also the name of its role in the member; its user on the plane is {@link agentUserOf}. */
export const agentAccountOf = (cluster: string) => `karmada-agent-${cluster}`;
/** Service account of the pod of an agent that runs in the member, in its namespace. */
export const agentAccount = "karmada-agent";
/** Also the name of its role in the member. */
export const estimatorAccountOf = (cluster: string) => `karmada-scheduler-estimator-${cluster}`;
/** The user names by which Karmada knows agents; the group tells them from people. */
export const agentUserOf = (cluster: string) => `system:karmada:agent:${cluster}`;
export const agentGroup = "system:karmada:agents";
export const roleOf = (cluster: string) => `karmada-controller-manager:karmada-${cluster}`;
export const executionNamespaceOf = (cluster: string) => `karmada-es-${cluster}`;
export const impersonatorSecretOf = (cluster: string) => `${cluster}-impersonator`;

/** On the Secret on the plane: when its token was made, RFC 3339. */
export const tokenMade = "karmada-pulumi/token-made";

/** Paths of the API. */
export const paths = {
  namespace: (name: string) => `/api/v1/namespaces/${name}`,
  serviceAccount: (name: string, namespace = clusterNamespace) =>
    `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`,
  secret: (name: string) => `/api/v1/namespaces/${clusterNamespace}/secrets/${name}`,
  clusterRole: (name: string) => `/apis/rbac.authorization.k8s.io/v1/clusterroles/${name}`,
  clusterRoleBinding: (name: string) => `/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${name}`,
  clusters: "/apis/cluster.karmada.io/v1alpha1/clusters",
  cluster: (name: string) => `/apis/cluster.karmada.io/v1alpha1/clusters/${name}`,
  works: (namespace: string) => `/apis/work.karmada.io/v1alpha1/namespaces/${namespace}/works`,
};

/** The member's API through Karmada's: for Push and Pull clusters alike. */
export const proxyPath = (cluster: string): string => `${paths.cluster(cluster)}/proxy`;
