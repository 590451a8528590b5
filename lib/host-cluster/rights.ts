import { mayEverything, missingVerbs, type Right, titleOf } from "../kube/access.ts";
import type { KubeClient } from "../kube/client.ts";
import { error, type Finding, type HostClusterNeeds } from "./needs.ts";

/** What it takes to declare objects of a kind and to wait for them; server-side apply is a `patch` that may `create`. */
const declare = ["get", "list", "watch", "create", "patch", "delete"];

/** All that is done in the namespace, and to it. */
const wanted: readonly Right[] = [
  { group: "", resource: "namespaces", verbs: ["get", "create", "patch", "delete"] },
  { group: "", resource: "secrets", verbs: declare },
  { group: "", resource: "services", verbs: declare },
  { group: "", resource: "configmaps", verbs: declare },
  { group: "policy", resource: "poddisruptionbudgets", verbs: declare },
  { group: "apps", resource: "deployments", verbs: declare },
  { group: "apps", resource: "replicasets", verbs: ["get", "list", "watch"] },
  { group: "apps", resource: "statefulsets", verbs: ["get", "create", "patch"] },
  { group: "", resource: "pods", verbs: ["get", "list", "watch", "patch", "delete", "deletecollection"] },
  {
    group: "",
    resource: "persistentvolumeclaims",
    verbs: ["get", "list", "watch", "create", "patch", "deletecollection"],
  },
];

const onPolicies: Right = { group: "networking.k8s.io", resource: "networkpolicies", verbs: declare };
const onIngresses: Right = { group: "networking.k8s.io", resource: "ingresses", verbs: declare };

/** What it takes to have a pod make data of a snapshot, and to say why it did not. */
const onRestores: readonly Right[] = [
  { group: "", resource: "pods", verbs: ["create"] },
  // Which of the two depends on the version (AuthorizePodWebsocketUpgradeCreatePermission).
  { group: "", resource: "pods", subresource: "exec", verbs: ["get", "create"] },
  { group: "", resource: "pods", subresource: "log", verbs: ["get"] },
  { group: "", resource: "persistentvolumeclaims", verbs: ["delete"] },
  { group: "apps", resource: "statefulsets", verbs: ["list"] },
];

/** Verbs that are missing, by the kind of objects. */
export async function judgeRights(
  client: KubeClient,
  {
    namespace,
    networkPolicies,
    ingress,
    restores = false,
  }: Pick<HostClusterNeeds, "namespace" | "networkPolicies" | "ingress" | "restores">,
): Promise<Finding[]> {
  if (await mayEverything(client)) return [];
  const all = [
    ...wanted,
    ...(networkPolicies ? [onPolicies] : []),
    ...(ingress ? [onIngresses] : []),
    ...(restores ? onRestores : []),
  ];
  const missing = await Promise.all(all.map((right) => missingVerbs(client, right, namespace)));
  return all.flatMap((right, i) => {
    const verbs = missing[i] ?? [];
    if (verbs.length === 0) return [];
    const kind = titleOf(right);
    return [
      error("namespace", `${kind} in "${namespace}": the user of the kubeconfig may not ${verbs.join(", ")} them`),
    ];
  });
}
