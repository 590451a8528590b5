import type { KubeObject } from "../kube/client.ts";
import { bootstrapVariables } from "./bootstrap-variables.ts";
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
  revision: "karmada-pulumi/revision",
} as const;

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

/** One pod under one name, never two; it is replaced by nobody but who deletes it. */
export function statefulSetOf(member: string, prepared: PreparedMember, bootstrap: Bootstrap): KubeObject {
  const { template, revision } = prepared;
  const { metadata = {}, spec } = template as { metadata?: KubeObject["metadata"]; spec: PodSpec };
  const [etcd, ...others] = spec.containers;
  const variables = Object.entries(bootstrapVariables(bootstrap, dataPath)).map(([name, value]) => ({ name, value }));
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: member, labels: { [labels.member]: member } },
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
          annotations: { ...metadata.annotations, [labels.revision]: revision },
        },
        spec: {
          ...spec,
          containers: [{ ...etcd, env: [...(etcd?.env ?? []), ...variables] }, ...others],
          volumes: [
            ...(spec.volumes ?? []),
            { name: dataVolume, persistentVolumeClaim: { claimName: claimName(member, bootstrap.incarnation) } },
          ],
        },
      },
    },
  };
}

interface PodSpec {
  readonly containers: readonly { readonly env?: readonly object[] }[];
  readonly volumes?: readonly object[];
}
