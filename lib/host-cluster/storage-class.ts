import type { KubeClient, KubeObject } from "../kube/client.ts";
import { error, type Finding, type HostClusterNeeds } from "./needs.ts";

/** Finds that there is no class for the volumes. */
export async function judgeStorageClass(
  client: KubeClient,
  { storageClass: wanted }: Pick<HostClusterNeeds, "storageClass">,
): Promise<Finding[]> {
  if (wanted === undefined) return [];
  const { items } = await client.get<{ items: KubeObject[] }>("/apis/storage.k8s.io/v1/storageclasses");
  if (items.some((each) => (wanted === "" ? isDefault(each) : each.metadata?.name === wanted))) return [];
  const there = items.map(({ metadata }) => metadata?.name).join(", ") || "none";
  const message =
    wanted === ""
      ? `the host cluster has no default storage class, want one named in placement.storage (there is ${there})`
      : `the host cluster has no storage class "${wanted}", there is ${there}`;
  return [error("storageClass", message)];
}

/** By either annotation, as for the API server (pkg/volume/util/storageclass.go of Kubernetes, `IsDefaultAnnotation`). */
const isDefault = ({ metadata }: KubeObject): boolean =>
  ["storageclass", "storageclass.beta"].some(
    (kind) => metadata?.annotations?.[`${kind}.kubernetes.io/is-default-class`] === "true",
  );
