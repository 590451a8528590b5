import { lastApplied } from "./manifest.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";

/** What is found of the objects of a plane. */
export interface FoundObjects {
  readonly objects: readonly KubeObject[];
  /** Objects of these kinds that are left alone, with the reason. */
  readonly left: readonly string[];
}

/** Every object of a namespace that a person or tool wrote, rather than a controller of the cluster. */
export async function readObjects(client: KubeClient, namespace: string): Promise<FoundObjects> {
  const lists = kinds.map(async ([apiVersion, kind, plural]) => {
    const { items } = await client.get<{ items: KubeObject[] }>(listPath(apiVersion, namespace, plural));
    return items.map((item): KubeObject => ({ apiVersion, kind, ...item }));
  });
  const found = (await Promise.all(lists)).flat().filter((object) => !isOfCluster(object));
  const judged = found.map((object) => ({ object, reason: reasonToLeave(object) }));
  return {
    objects: judged.flatMap(({ object, reason }) => (reason === undefined ? [object] : [])),
    left: judged.flatMap(({ object, reason }) => (reason === undefined ? [] : [`${nameOf(object)}: ${reason}`])),
  };
}

/** Those of some objects that are not there, as `Deployment karmada-scheduler`. */
export async function missingObjects(
  client: KubeClient,
  namespace: string,
  wanted: readonly Pick<KubeObject, "apiVersion" | "kind" | "metadata">[],
): Promise<string[]> {
  const looks = kinds
    .filter(([apiVersion, kind]) => wanted.some((each) => each.apiVersion === apiVersion && each.kind === kind))
    .map(async ([apiVersion, kind, plural]) => {
      const { items } = await client.get<{ items: KubeObject[] }>(listPath(apiVersion, namespace, plural));
      const there = new Set(items.map(({ metadata }) => metadata?.name));
      const ofKind = wanted.filter((each) => each.apiVersion === apiVersion && each.kind === kind);
      return ofKind.filter(({ metadata }) => !there.has(metadata?.name)).map(nameOf);
    });
  return (await Promise.all(looks)).flat();
}

/** Kinds written by installers and administrators of a Karmada. */
const kinds = [
  ["v1", "ConfigMap", "configmaps"],
  ["v1", "PersistentVolumeClaim", "persistentvolumeclaims"],
  ["v1", "Secret", "secrets"],
  ["v1", "Service", "services"],
  ["v1", "ServiceAccount", "serviceaccounts"],
  ["apps/v1", "DaemonSet", "daemonsets"],
  ["apps/v1", "Deployment", "deployments"],
  ["apps/v1", "StatefulSet", "statefulsets"],
  ["autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"],
  ["batch/v1", "CronJob", "cronjobs"],
  ["networking.k8s.io/v1", "Ingress", "ingresses"],
  ["networking.k8s.io/v1", "NetworkPolicy", "networkpolicies"],
  ["policy/v1", "PodDisruptionBudget", "poddisruptionbudgets"],
  ["rbac.authorization.k8s.io/v1", "Role", "roles"],
  ["rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings"],
] as const;

const listPath = (apiVersion: string, namespace: string, plural: string): string =>
  `/${apiVersion === "v1" ? "api" : "apis"}/${apiVersion}/namespaces/${namespace}/${plural}`;

/** What the cluster makes in each namespace or from another object, or is deleting. */
function isOfCluster({ kind, metadata = {}, type }: KubeObject): boolean {
  const { name = "", ownerReferences = [], deletionTimestamp } = metadata;
  return (
    deletionTimestamp !== undefined ||
    ownerReferences.some((owner) => owner["controller"] === true) ||
    (kind === "ConfigMap" && name === "kube-root-ca.crt") ||
    (kind === "ServiceAccount" && name === "default") ||
    (kind === "Secret" && type === "kubernetes.io/service-account-token")
  );
}

function reasonToLeave({ kind, metadata, type }: KubeObject): string | undefined {
  if (kind !== "Secret") return undefined;
  if (type === "helm.sh/release.v1") return "what helm remembers of its release";
  return metadata?.annotations?.[lastApplied] === undefined
    ? undefined
    : "kubectl apply has put its contents into an annotation, which would be in the state in clear";
}

const nameOf = ({ kind, metadata }: Pick<KubeObject, "kind" | "metadata">): string => `${kind} ${metadata?.name}`;
