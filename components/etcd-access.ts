import type { EtcdRuntimeAddress } from "../lib/etcd/runtime/runtime.ts";
import type { ClusterPart } from "../lib/snapshots/take.ts";
import type { AsInputs } from "../providers/dynamic.ts";
import type { RestoredMember } from "../providers/etcd-restore.ts";

/** How to reach the etcd of a deployment from outside: given to stacks for snapshots or a restore. */
export interface EtcdAccess {
  /** Name of the deployment. */
  readonly deployment: string;
  /** Client URLs. */
  readonly endpoints: string[];
  /** Client URLs of the clusters that hold some kinds of objects. */
  readonly parts: ClusterPart[];
  /** PEM. The key is secret. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  /** Where the Karmada keeps its keys. */
  readonly prefix: string;
  readonly karmadaVersion: string;
  readonly etcdVersion: string;
  /** Directories that hold the data: no snapshot may be kept in them. */
  readonly dataDirectories: string[];
  /** What it takes to restore it; absent when others run it. */
  readonly managed?: {
    readonly runtime: EtcdRuntimeAddress;
    readonly members: RestoredMember[];
    /** Members of the clusters that hold some kinds of objects, by the cluster's name. */
    readonly parts: Record<string, RestoredMember[]>;
    /** Programs that remember what etcd held, in the order they start in. */
    readonly programs: string[];
  };
}

/** {@link EtcdAccess} without `managed`, while parts of it are not known yet. */
export type EtcdAccessArgs = AsInputs<Omit<EtcdAccess, "managed">>;

/** `managed` of {@link EtcdAccess}, while parts of it are not known yet. */
export type RestoreAccessArgs = AsInputs<NonNullable<EtcdAccess["managed"]>>;
