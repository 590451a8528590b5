import type * as pulumi from "@pulumi/pulumi";
import type { EtcdMember } from "../providers/etcd-health.ts";
import type { EtcdPlan } from "./etcd-plan.ts";
import type { Ground } from "./placed.ts";
import type { RestoreArgs } from "./restore.ts";

/** etcd as last observed. */
export interface EtcdState {
  readonly clusterId: string;
  /** By name, with all that is known of it. */
  readonly members: readonly Pick<EtcdMember, "name" | "version" | "healthy">[];
  /** The clusters for some kinds of objects, by name; absent when there are none. */
  readonly overrides?: Readonly<Record<string, EtcdState>>;
}

/** Where the control plane keeps its data; whatever needs it depends on `ready`. */
export interface Etcd {
  readonly kind: EtcdPlan["settings"]["kind"];
  readonly ready: pulumi.Resource;
  readonly state: pulumi.Output<EtcdState>;
  /** The cluster made by the restore, if one is declared; that of an etcd of another stack, which may be restored there. */
  readonly restored?: pulumi.Output<string>;
  /** Set when the data go with it: stored objects need not be deleted one by one. */
  readonly owner?: pulumi.Resource;
  readonly versions: Readonly<Record<string, pulumi.Output<string>>>;
}

/** What comes before anything that risks the data. */
export interface BeforeChange {
  readonly hooks: readonly pulumi.Resource[];
  /** Takes a snapshot; undefined when none is wanted. */
  readonly snapshot: (dependsOn: readonly pulumi.Resource[]) => pulumi.Resource | undefined;
}

/** What an etcd is made of, or found by. */
export interface EtcdArgs {
  readonly plan: EtcdPlan;
  readonly ground: Ground;
  /** What a restore needs of the deployment, should the settings ask for one. */
  readonly restoring: Restoring;
  /** @default nothing */
  readonly before?: BeforeChange;
}

type Restoring = Pick<RestoreArgs, "snapshots" | "programs">;
