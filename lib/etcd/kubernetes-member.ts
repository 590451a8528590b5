import type { KubeObject } from "../kube/client.ts";
import { bootstrapVariables, readBootstrapVariables } from "./bootstrap-variables.ts";
import type { Bootstrap } from "./runtime/runtime.ts";

/**
 * A member as its placement declares it, in a ConfigMap. Whoever starts it adds how it finds its cluster, and the
 * volume with its data.
 */
export interface PreparedMember {
  readonly revision: string;
  /** A pod template; its first container runs etcd. */
  readonly template: KubeObject;
  /** Spec of the PersistentVolumeClaim for its data. */
  readonly claim: object;
  /** When its volumes are directories of nodes. @default they are those of a storage class */
  readonly hostPath?: HostPath;
  /** Image with Node.js, for moving files. Absent from members declared by an earlier release. */
  readonly node?: string;
  /**
   * How long its pod may take to get a node, its volume and its image. Absent from members declared by an earlier
   * release.
   */
  readonly startSeconds?: number;
  /** Where this program reaches it. Absent from members declared by an earlier release. */
  readonly clientUrl?: string;
}

/** Volumes that are directories of nodes. */
export interface HostPath {
  /** The directory of each node below which they lie. */
  readonly path: string;
  /** Whether no two members may lie on one node. */
  readonly alone: boolean;
}

/** Where a member finds the data of all incarnations; a claim is made for each. */
export const dataPath = "/var/lib/etcd";

/** Name of the volume that is mounted there. */
export const dataVolume = "data";

/** The container of its pod that runs etcd. */
export const etcdContainer = "etcd";

/** What a member's objects are found by. */
export const labels = {
  member: "karmada-pulumi/member",
  incarnation: "karmada-pulumi/incarnation",
  retired: "karmada-pulumi/retired",
  /** On a claim whose data are still being made, and not to be used yet. */
  restoring: "karmada-pulumi/restoring",
  revision: "karmada-pulumi/revision",
} as const;

/** What is noted on the claim of an incarnation. */
export const notes = {
  /** The cluster that its data are of, hexadecimal. */
  cluster: "karmada-pulumi/etcd-cluster",
  /** That cluster's token. */
  token: "karmada-pulumi/etcd-token",
  /** What a restore has noted, see lib/etcd/runtime/marker.ts. */
  restore: "karmada-pulumi/etcd-restore",
  /** That it was seen to hold data: if there are none, they were lost. */
  begun: "karmada-pulumi/etcd-begun",
  /** The node that has them, where they are a directory of a node. */
  node: "karmada-pulumi/etcd-node",
  /** That directory. */
  directory: "karmada-pulumi/etcd-directory",
} as const;

/** On a member's pod: `ETCD_INITIAL_CLUSTER`, read at each start of its container. */
export const initialClusterNote = "karmada-pulumi/etcd-initial-cluster";

/**
 * Its value for a member that already has data, which ignores it. A member that finds no data does read it, and does
 * not start: it would be an empty member under an old identity, and several of them an empty cluster.
 */
export const begunAlready = "data-of-this-member-are-gone=https://replace-it-or-restore.invalid:2380";

/** On a member's StatefulSet: what it was last started with, as JSON. */
const bootstrapNote = "karmada-pulumi/etcd-bootstrap";

/** Claims with data that a member uses or has used, by their labels. */
export const ownClaims = (member: string): string => `${labels.member}=${member},!${labels.restoring}`;

export const preparedName = (member: string): string => `${member}-prepared`;
export const podName = (member: string): string => `${member}-0`;
export const claimName = (member: string, incarnation: number): string => `${member}-data-${incarnation}`;
/**
 * The two volumes for a directory of a node: that of the data, and that by which it is made, whose claim has the same
 * name.
 */
export const directoryVolumes = (volume: string) => [volume, `${volume}-made`] as const;

/**
 * The volumes that give a pod the data of an incarnation, and what its first container mounts for them besides the
 * data. With a directory of a node, the kubelet makes it for the second volume, if a container mounts that, and gives
 * the first to the pod's group.
 *
 * @param claim that of the data
 */
export function dataOf({ metadata, spec }: KubeObject): { readonly volumes: object[]; readonly beside: object[] } {
  const volume = (name: string, claimName: string) => ({ name, persistentVolumeClaim: { claimName } });
  const data = volume(dataVolume, metadata?.name ?? "");
  if (metadata?.annotations?.[notes.directory] === undefined) return { volumes: [data], beside: [] };
  const [, made] = directoryVolumes(spec?.volumeName as string);
  const name = "directory";
  return {
    volumes: [data, volume(name, made)],
    beside: [{ name, mountPath: `${dataPath}-directory`, readOnly: true }],
  };
}

/**
 * One pod under one name, never two; it is replaced only when somebody deletes it.
 *
 * @param claim that of the data, which says whether there are any
 */
export function statefulSetOf(
  member: string,
  prepared: PreparedMember,
  bootstrap: Bootstrap,
  claim: KubeObject,
): KubeObject {
  const data = dataOf(claim);
  const begun = claim.metadata?.annotations?.[notes.begun] !== undefined;
  const { template, revision } = prepared;
  const { metadata = {}, spec } = template as { metadata?: KubeObject["metadata"]; spec: PodSpec };
  const [etcd, ...beside] = spec.containers;
  const { ETCD_INITIAL_CLUSTER: initialCluster, ...others } = bootstrapVariables(bootstrap, dataPath);
  const variables = [
    ...Object.entries(others).map(([name, value]) => ({ name, value })),
    // Read anew at each start of the container, also of one that a node that was away starts again.
    {
      name: "ETCD_INITIAL_CLUSTER",
      valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${initialClusterNote}']` } },
    },
  ];
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: {
      name: member,
      labels: { [labels.member]: member },
      annotations: { [bootstrapNote]: JSON.stringify(bootstrap) },
    },
    spec: {
      serviceName: member,
      replicas: 1,
      podManagementPolicy: "Parallel",
      updateStrategy: { type: "OnDelete" },
      selector: { matchLabels: { [labels.member]: member } },
      template: {
        metadata: {
          ...metadata,
          labels: { ...metadata.labels, [labels.member]: member },
          annotations: {
            ...metadata.annotations,
            [labels.revision]: revision,
            [initialClusterNote]: begun ? begunAlready : initialCluster,
          },
        },
        spec: {
          ...spec,
          containers: [
            {
              ...etcd,
              env: [...(etcd?.env ?? []), ...variables],
              volumeMounts: [...(etcd?.volumeMounts ?? []), ...data.beside],
            },
            ...beside,
          ],
          volumes: [...(spec.volumes ?? []), ...data.volumes],
        },
      },
    },
  };
}

/** What a member was last started with. An earlier release kept it in the variables only. */
export function bootstrapOf(set: KubeObject): Bootstrap | undefined {
  const noted = set.metadata?.annotations?.[bootstrapNote];
  if (noted !== undefined) return JSON.parse(noted) as Bootstrap;
  const env = (set["spec"]?.template?.spec?.containers?.[0]?.env ?? []) as { name: string; value?: string }[];
  return readBootstrapVariables(Object.fromEntries(env.map(({ name, value = "" }) => [name, value])));
}

interface PodSpec {
  readonly containers: readonly Container[];
  readonly volumes?: readonly object[];
}

/** A container of a pod, as far as members set it. */
export interface Container {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly object[];
  readonly volumeMounts?: readonly object[];
}
