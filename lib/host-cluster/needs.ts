/** What a deployment needs of the cluster that is to run its pods. */
export interface HostClusterNeeds {
  readonly namespace: string;
  /** Name of the deployment that is to have the namespace to itself. */
  readonly deployment: string;
  /** What tells it from another one of the same name. @default not known, as long as nothing of it was ever made */
  readonly instance?: string;
  /** The oldest version of Kubernetes that has everything used: `1.23`. */
  readonly oldest: string;
  /** NodePorts it will take, by the name of their Service. */
  readonly nodePorts: Readonly<Record<string, readonly number[]>>;
  /** Storage class of its volumes; the default one of the cluster when it is empty; none when it has no volumes. */
  readonly storageClass?: string;
  /** Whether its volumes are directories of nodes. @default false */
  readonly hostPath?: boolean;
  /** Bytes that the database of each member of etcd may grow to, where it is on a volume of its own. @default none is */
  readonly databases?: Readonly<Record<string, number>>;
  /** Priority class of its pods. @default that of the cluster */
  readonly priorityClass?: string;
  /** Those of programs that have their own, by program. @default none has */
  readonly ownPriorityClasses?: Readonly<Record<string, string>>;
  readonly pods: PodNeeds;
  /** Where programs have nodes of their own: what the others need. @default none has */
  readonly otherPods?: readonly PodNeeds[];
  /** Whether NetworkPolicies will be made. */
  readonly networkPolicies: boolean;
  /** Whether etcd data are restored, by commands run in pods. @default false */
  readonly restores?: boolean;
  /** Whether a pod takes scheduled snapshots, and is asked about the results. @default false */
  readonly schedules?: boolean;
  /** PersistentVolumes that its pods write to, by name, and the claims by which they have them. @default none */
  readonly writtenVolumes?: Readonly<Record<string, { readonly claim: string; readonly storageClass: string }>>;
  /** What its Ingresses need. @default it has none */
  readonly ingress?: IngressNeeds;
}

/** What Ingresses need of their controller: that it passes TLS through. */
export interface IngressNeeds {
  /** Name of their class; the default one of the cluster when it is empty. */
  readonly ingressClass: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What its pods, or those of one program, need of nodes. */
export interface PodNeeds {
  /** The program. @default all that are not named in other needs */
  readonly program?: string;
  /** Labels of the nodes they run on. */
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** Taints that they tolerate. */
  readonly tolerations: readonly Toleration[];
  /** How many pods of a kind want a node each, by kind: `etcd`. */
  readonly apart: Readonly<Record<string, number>>;
  /** Whether pods that do not get one stay pending. */
  readonly required: boolean;
}

/** As in a pod's spec. */
export interface Toleration {
  readonly key?: string;
  readonly operator: "Equal" | "Exists";
  readonly value?: string;
  readonly effect?: string;
}

/** Something that speaks against a host cluster. An error stops the deployment. */
export interface Finding {
  readonly severity: "error" | "warning";
  /** The need that is not met. */
  readonly need: keyof HostClusterNeeds;
  readonly message: string;
}

export const error = (need: Finding["need"], message: string): Finding => ({ severity: "error", need, message });
export const warning = (need: Finding["need"], message: string): Finding => ({ severity: "warning", need, message });
