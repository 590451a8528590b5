import { randomBytes } from "node:crypto";
import { namespacePath } from "../host-cluster/namespace.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { namespacedPath } from "../kube/paths.ts";
import { oneByOne } from "../one-by-one.ts";
import { directoryVolumes, type HostPath, labels, notes, type PreparedMember } from "./kubernetes-member.ts";
import { lookAtNodes, nodesFor } from "./kubernetes-nodes.ts";
import { nodeForData } from "./node-for-data.ts";

/** Members are started in parallel, and each has to see where the others are. */
const inTurn = oneByOne();

/**
 * Makes the claim for data in a directory of a node, and chooses the node: a different one for each member as far as
 * there are enough. The directory's name was never used before, so that data of a deployment that is gone are never
 * taken over.
 *
 * @throws when no node takes it
 */
export function directoryClaim(
  client: KubeClient,
  namespace: string,
  member: string,
  declared: KubeObject,
  prepared: PreparedMember,
): Promise<KubeObject> {
  const { path, alone } = prepared.hostPath as HostPath;
  return inTurn(async () => {
    const { nodes, why } = await nodesFor(client, prepared);
    const candidates = nodes.map(({ metadata }) => {
      const zone = metadata?.labels?.["topology.kubernetes.io/zone"];
      return { name: metadata?.name ?? "", ...(zone !== undefined && { zone }) };
    });
    const { [member]: before, ...all } = await nodesOfMembers(client, namespace);
    const others = Object.fromEntries(Object.entries(all).filter(([other]) => clusterOf(other) === clusterOf(member)));
    const node = nodeForData(candidates, Object.values(others), before, alone);
    if (node === undefined) throw new Error(noNode(member, path, Object.keys(others).length, nodes.length, why));
    const volume = `${namespace}-${declared.metadata?.name}-${randomBytes(4).toString("hex")}`;
    const { metadata } = declared;
    return client.apply(namespacedPath(namespace, "persistentvolumeclaims", metadata?.name), {
      ...declared,
      metadata: {
        ...metadata,
        annotations: { ...metadata?.annotations, [notes.node]: node.name, [notes.directory]: `${path}/${volume}` },
      },
      spec: { ...(declared["spec"] as object), storageClassName: "", volumeName: volume },
    });
  });
}

/**
 * Makes the volumes that the claim for data in a directory of a node is bound to: the directory as one that has to
 * exist, which is given to the group of a pod, and as one that the kubelet makes. Both go with the namespace; the
 * contents of the directory stay.
 */
export async function ensureDirectory(client: KubeClient, namespace: string, claim: KubeObject): Promise<void> {
  const { [notes.node]: node, [notes.directory]: path } = claim.metadata?.annotations ?? {};
  if (node === undefined || path === undefined) return;
  const { volumeName, accessModes, resources } = claim["spec"] as ClaimSpec;
  const volume = volumeOf(client, namespace, node, { accessModes, capacity: resources.requests });
  const [data, made] = directoryVolumes(volumeName);
  const { name = "", uid } = claim.metadata ?? {};
  await volume(data, name, { local: { path } });
  await volume(made, made, { hostPath: { path, type: "DirectoryOrCreate" } });
  await client.apply(namespacedPath(namespace, "persistentvolumeclaims", made), {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: made, ownerReferences: [{ apiVersion: "v1", kind: "PersistentVolumeClaim", name, uid }] },
    spec: { accessModes, resources, storageClassName: "", volumeName: made },
  });
}

/** Makes a volume for a claim where there is none: the API server does not allow one to be changed. */
function volumeOf(client: KubeClient, namespace: string, node: string, size: object) {
  return async (name: string, claim: string, source: object): Promise<void> => {
    const path = `/api/v1/persistentvolumes/${name}`;
    if ((await client.find(path)) !== undefined) return;
    const [owner, hostname] = await Promise.all([client.get(namespacePath(namespace)), hostnameOf(client, node)]);
    await client.apply(path, {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: {
        name,
        labels: { "app.kubernetes.io/managed-by": "karmada-pulumi" },
        ownerReferences: [{ apiVersion: "v1", kind: "Namespace", name: namespace, uid: owner.metadata?.uid }],
      },
      spec: {
        ...size,
        ...source,
        storageClassName: "",
        persistentVolumeReclaimPolicy: "Retain",
        claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name: claim },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: hostnameLabel, operator: "In", values: [hostname] }] }],
          },
        },
      },
    });
  };
}

/**
 * The hostname label by which volumes know a node, which in some clouds is not its name. That of a node which is gone
 * stays unknown.
 */
async function hostnameOf(client: KubeClient, node: string): Promise<string> {
  // A user who may list nodes may still not get one.
  const query = { fieldSelector: `metadata.name=${node}` };
  const { items } = await client.get<{ items: KubeObject[] }>("/api/v1/nodes", { query });
  return items[0]?.metadata?.labels?.[hostnameLabel] ?? node;
}

/** The node that has the newest data of each member, as far as they are a directory of a node. */
async function nodesOfMembers(client: KubeClient, namespace: string): Promise<Record<string, string>> {
  const query = { labelSelector: `${labels.member},!${labels.retired}` };
  const { items } = await client.get<{ items: KubeObject[] }>(namespacedPath(namespace, "persistentvolumeclaims"), {
    query,
  });
  const number = ({ metadata }: KubeObject) => Number(metadata?.labels?.[labels.incarnation]);
  const noted = items
    .toSorted((a, b) => number(a) - number(b))
    .map(({ metadata }) => [metadata?.labels?.[labels.member], metadata?.annotations?.[notes.node]] as const);
  return Object.fromEntries(noted.filter((each): each is [string, string] => each[1] !== undefined));
}

const noNode = (member: string, path: string, others: number, nodes: number, why: string): string =>
  nodes === 0
    ? `${member}: choosing a node for ${path}: no node takes its pod: ${why}\n${lookAtNodes}`
    : `${member}: choosing a node for ${path}: ${nodes} take its pod, and each has one of ${others} other members\nadd a node, or set placement.antiAffinity to "preferred"`;

const hostnameLabel = "kubernetes.io/hostname";

interface ClaimSpec {
  readonly volumeName: string;
  readonly accessModes: readonly string[];
  readonly resources: { readonly requests: object };
}

/** Members of different clusters may share a node: `etcd-events` of `etcd-events-0`. */
const clusterOf = (member: string): string => member.replace(/-\d+$/, "");
