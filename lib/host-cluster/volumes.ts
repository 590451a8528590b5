import { besideDatabase } from "../../spec/etcd/volumes.ts";
import { amountOf } from "../../spec/members/resource-models.ts";
import { labels, ownClaims } from "../etcd/kubernetes-member.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { namespacedPath } from "../kube/paths.ts";
import { readableSize } from "../size.ts";
import { type Finding, type HostClusterNeeds, warning } from "./needs.ts";

/** Finds volumes that exist already and that the database of their member may outgrow. */
export async function judgeVolumes(
  client: KubeClient,
  { namespace, databases = {} }: Pick<HostClusterNeeds, "namespace" | "databases">,
): Promise<Finding[]> {
  const found = await Promise.all(
    Object.entries(databases).map(async ([member, quota]) => {
      const capacity = await capacityOf(client, namespace, member);
      return capacity === undefined || quota + besideDatabase <= capacity ? [] : [{ member, quota, capacity }];
    }),
  );
  return found.flat().map(({ member, quota, capacity }) => {
    const [database, volume] = [readableSize(quota), readableSize(capacity)];
    const message = `the volume of ${member} has ${volume}, and its database of up to ${database} (etcd.quota) with its log does not fit: another placement.storage.size is for volumes to come, so enlarge its claim first (kubectl edit pvc) where the storage class allows that, or have the member begin anew on a larger one (etcd.replace)`;
    return warning("databases", message);
  });
}

/** Bytes that the volume with the present data of a member has; undefined when it has none yet. */
async function capacityOf(client: KubeClient, namespace: string, member: string): Promise<number | undefined> {
  const query = { labelSelector: ownClaims(member) };
  const { items } = await client.get<{ items: Claim[] }>(namespacedPath(namespace, "persistentvolumeclaims"), {
    query,
  });
  const [present] = items.toSorted((a, b) => incarnationOf(b) - incarnationOf(a));
  const storage = present?.status?.capacity?.storage;
  return storage === undefined ? undefined : amountOf(storage);
}

interface Claim extends KubeObject {
  readonly status?: { readonly capacity?: { readonly storage?: string } };
}

const incarnationOf = ({ metadata }: KubeObject): number => Number(metadata?.labels?.[labels.incarnation]);
