import type { EtcdRuntimeAddress } from "../lib/etcd/runtime.ts";
import type { ClusterPart } from "../lib/snapshots/take.ts";
import type { RestoredMember } from "../providers/etcd-restore.ts";
import type { Deployment } from "../spec/deployment.ts";
import { clientUrls, etcdReach, memberAddresses } from "./etcd.ts";
import type { EtcdPlan } from "./etcd-plan.ts";
import { overridesOf } from "./etcd-plan.ts";
import type { Ground } from "./placed.ts";
import type { AsInputs } from "../providers/dynamic.ts";

/** How to come to the etcd of a deployment from outside it: what a stack of snapshots or of a restore is given. */
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
  /** Where the Karmada has its keys. */
  readonly prefix: string;
  readonly karmadaVersion: string;
  readonly etcdVersion: string;
  /** Directories that hold the data: no snapshot may be kept in them. */
  readonly dataDirectories: string[];
  /** What it takes to restore it; absent when others run it. */
  readonly managed?: {
    readonly runtime: EtcdRuntimeAddress;
    readonly members: RestoredMember[];
    /** Of the clusters that hold some kinds of objects, by name. */
    readonly parts: Record<string, RestoredMember[]>;
    /** Programs that remember what etcd held, in the order they start in. */
    readonly programs: string[];
  };
}

/** The same while parts of it are still to come. */
export type EtcdAccessArgs = AsInputs<Omit<EtcdAccess, "managed">>;

type Managed = NonNullable<EtcdAccess["managed"]>;
type ManagedArgs = AsInputs<Managed>;

/** What a deployment gives out for stacks that take snapshots of it or restore it. */
export function etcdAccess(
  { name, versions, placement }: Pick<Deployment<unknown>, "name" | "versions" | "placement">,
  plan: EtcdPlan,
  ground: Ground,
): EtcdAccessArgs {
  return {
    deployment: name,
    ...etcdReach(plan, ground),
    parts: overridesOf(plan).map((part) => ({ name: part.name, endpoints: clientUrls(part, ground) })),
    prefix: plan.connection.prefix,
    karmadaVersion: versions.karmada,
    etcdVersion: versions.etcd,
    dataDirectories: plan.settings.kind === "managed" && "directory" in placement ? [placement.directory] : [],
  };
}

/** What a restore needs besides. */
export function restoreAccess(plan: EtcdPlan, ground: Ground, programs: string[]): { readonly managed?: ManagedArgs } {
  if (plan.settings.kind !== "managed") return {};
  const parts = overridesOf(plan).map((part) => [part.name, memberAddresses(part, ground)] as const);
  return {
    managed: {
      runtime: ground.placement.etcdRuntime(),
      members: memberAddresses(plan, ground),
      parts: Object.fromEntries(parts),
      programs,
    },
  };
}
