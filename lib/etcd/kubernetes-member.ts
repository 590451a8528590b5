import type { KubeObject } from "../kube/client.ts";
import { bootstrapVariables, readBootstrapVariables } from "./bootstrap-variables.ts";
import type { Bootstrap } from "./runtime.ts";

/**
 * A member as its placement writes it down, in a ConfigMap: who starts it adds what it finds its cluster by and the volume
 * with its data.
 */
export interface PreparedMember {
  readonly revision: string;
  /** A pod template; its first container runs etcd. */
  readonly template: KubeObject;
  /** Spec of the PersistentVolumeClaim for its data. */
  readonly claim: object;
  /** Image with Node.js, for what moves files. Members that an earlier release wrote down have none. */
  readonly node?: string;
  /** Where this program comes to it. Members that an earlier release wrote down have none. */
  readonly clientUrl?: string;
}

/** Where a member finds the data of all incarnations; a claim is made for each. */
export const dataPath = "/var/lib/etcd";

/** Name of the volume that is mounted there. */
export const dataVolume = "data";

/** What a member's objects are found by. */
export const labels = {
  member: "karmada-pulumi/member",
  incarnation: "karmada-pulumi/incarnation",
  retired: "karmada-pulumi/retired",
  /** Of a claim whose data are being made: nobody is to use them yet. */
  restoring: "karmada-pulumi/restoring",
  revision: "karmada-pulumi/revision",
} as const;

/** What is noted on the claim of an incarnation. */
export const notes = {
  /** The cluster that its data are of, hexadecimal. */
  cluster: "karmada-pulumi/etcd-cluster",
  /** That cluster's token. */
  token: "karmada-pulumi/etcd-token",
  /** What a restore has noted, see lib/restore/marker.ts. */
  restore: "karmada-pulumi/etcd-restore",
  /** That it was seen to hold data: whoever finds none there has lost them. */
  begun: "karmada-pulumi/etcd-begun",
} as const;

/** On a member's pod: `ETCD_INITIAL_CLUSTER`, as each start of its container finds it. */
export const initialClusterNote = "karmada-pulumi/etcd-initial-cluster";

/**
 * The value of it for a member that has data already, which never reads it. One that finds none there does, and does not
 * start: it would be an empty member under an old identity, and several of them an empty cluster.
 */
export const begunAlready = "data-of-this-member-are-gone=https://replace-it-or-restore.invalid:2380";

/** On a member's StatefulSet: what it was last started with, as JSON. */
const bootstrapNote = "karmada-pulumi/etcd-bootstrap";

/** Claims with data that a member uses or has used, by their labels. */
export const ownClaims = (member: string): string => `${labels.member}=${member},!${labels.restoring}`;

export const preparedName = (member: string): string => `${member}-prepared`;
export const podName = (member: string): string => `${member}-0`;
export const claimName = (member: string, incarnation: number): string => `${member}-data-${incarnation}`;

/** The volume of one incarnation. */
export const claimOf = (member: string, incarnation: number, { claim }: PreparedMember): KubeObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: {
    name: claimName(member, incarnation),
    labels: { [labels.member]: member, [labels.incarnation]: String(incarnation) },
  },
  spec: claim,
});

/**
 * One pod under one name, never two; it is replaced by nobody but who deletes it.
 *
 * @param begun whether there are data on its volume
 */
export function statefulSetOf(
  member: string,
  prepared: PreparedMember,
  bootstrap: Bootstrap,
  begun: boolean,
): KubeObject {
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
          containers: [{ ...etcd, env: [...(etcd?.env ?? []), ...variables] }, ...beside],
          volumes: [
            ...(spec.volumes ?? []),
            { name: dataVolume, persistentVolumeClaim: { claimName: claimName(member, bootstrap.incarnation) } },
          ],
        },
      },
    },
  };
}

/** What a member was last started with. An earlier release has it in the variables only. */
export function bootstrapOf(set: KubeObject): Bootstrap | undefined {
  const noted = set.metadata?.annotations?.[bootstrapNote];
  if (noted !== undefined) return JSON.parse(noted) as Bootstrap;
  const env = (set["spec"]?.template?.spec?.containers?.[0]?.env ?? []) as { name: string; value?: string }[];
  return readBootstrapVariables(Object.fromEntries(env.map(({ name, value = "" }) => [name, value])));
}

interface PodSpec {
  readonly containers: readonly { readonly env?: readonly object[] }[];
  readonly volumes?: readonly object[];
}
