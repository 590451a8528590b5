import { mayEverything, missingVerbs, type Right, titleOf } from "../kube/access.ts";
import type { KubeClient } from "../kube/client.ts";
import { error, type Finding, type HostClusterNeeds } from "./needs.ts";

/** What it takes to declare objects of a kind and to wait for them; server-side apply is a `patch` that may `create`. */
const declare = ["get", "list", "watch", "create", "patch", "delete"];

/** Everything that is done in the namespace, and to it. */
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

/** What it takes to run something in a pod. Which of the two depends on the version (AuthorizePodWebsocketUpgradeCreatePermission). */
const onExec: Right = { group: "", resource: "pods", subresource: "exec", verbs: ["get", "create"] };

/** What else it takes to have a pod make data from a snapshot, and to say why it failed. */
const onRestores: readonly Right[] = [
  { group: "", resource: "pods", verbs: ["create"] },
  { group: "", resource: "pods", subresource: "log", verbs: ["get"] },
  { group: "", resource: "persistentvolumeclaims", verbs: ["delete"] },
  { group: "apps", resource: "statefulsets", verbs: ["list"] },
];

/** What it takes to have volumes that are directories of nodes. */
const onHostPaths: readonly Right[] = [
  { group: "", resource: "persistentvolumes", verbs: ["get", "create", "patch"] },
  { group: "", resource: "nodes", verbs: ["list"] },
];

type Uses = Pick<HostClusterNeeds, "networkPolicies" | "ingress" | "restores" | "schedules">;

/** The rights a deployment needs in its namespace. */
export const rightsInNamespace = ({
  networkPolicies,
  ingress,
  restores = false,
  schedules = false,
}: Uses): readonly Right[] => [
  ...wanted,
  ...(networkPolicies ? [onPolicies] : []),
  ...(ingress ? [onIngresses] : []),
  ...(restores || schedules ? [onExec] : []),
  ...(restores ? onRestores : []),
];

/** Finds verbs that the user lacks, by kind of object. */
export async function judgeRights(
  client: KubeClient,
  { namespace, hostPath = false, ...uses }: Uses & Pick<HostClusterNeeds, "namespace" | "hostPath">,
): Promise<Finding[]> {
  if (await mayEverything(client)) return [];
  const judged = [
    ...rightsInNamespace(uses).map((right) => judgeRight(client, right, namespace)),
    ...(hostPath ? onHostPaths : []).map((right) => judgeRight(client, right)),
  ];
  return (await Promise.all(judged)).flat();
}

/** @param namespace absent where the objects are in none */
async function judgeRight(client: KubeClient, right: Right, namespace?: string): Promise<Finding[]> {
  const verbs = await missingVerbs(client, right, namespace);
  if (verbs.length === 0) return [];
  const kind = namespace === undefined ? titleOf(right) : `${titleOf(right)} in "${namespace}"`;
  return [error("namespace", `${kind}: the user of the kubeconfig may not ${verbs.join(", ")} them`)];
}
