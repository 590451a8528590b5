import type * as pulumi from "@pulumi/pulumi";
import type { MemberOutcome } from "../lib/etcd/membership/outcome.ts";
import type { DesiredMember, Known } from "../lib/etcd/membership/situation.ts";
import type { EtcdRuntimeAddress } from "../lib/etcd/runtime/runtime.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface EtcdMembershipInputs {
  /** Token of the cluster when it is first started; never changed afterwards. */
  readonly token: string;
  /** What starts and stops the members. */
  readonly runtime: EtcdRuntimeAddress;
  /** The declared members. Each is prepared by its placement at the given revision, and started only from here. */
  readonly members: DesiredMember[];
  /** Version they are prepared with. */
  readonly version: string;
  /** A member whose number is raised is removed and added again with empty data: its host or disk is lost. */
  readonly replace: Record<string, number>;
  /** A database is defragmented when both are exceeded: the unused part, 0 to 1, and the size in bytes. */
  readonly defragment: { readonly fragmentation: number; readonly size: number };
  /**
   * Members that nobody declared and that do not run here: whether to refuse to do anything, to leave them, or to
   * remove them. @default refuse
   */
  readonly foreignMembers?: "refuse" | "ignore" | "remove";
  /** PEM of the authority of the members' certificates. */
  readonly ca: string;
  /** Client certificate and key, PEM. */
  readonly certificate: string;
  readonly key: string;
  /** For one member to start or stop, and for etcd to agree to a change. A learner has more time, by the database's size. */
  readonly timeoutSeconds: number;
  /**
   * The last restore into the members, which runs first and invalidates what is known of the cluster's ID and
   * revisions. It is pending while its `clusterId` is unknown. @default none
   */
  readonly restored?: { readonly generation: number; readonly clusterId: string };
  /**
   * Not declared: what an `up` would do, from the cluster as it is. Remade when something else changes, or there is
   * something to do.
   */
  readonly plan?: string[];
}

export interface EtcdMembershipOutputs {
  /** Hexadecimal. */
  readonly clusterId: string;
  /** In order of their names. */
  readonly memberStates: MemberOutcome[];
  /** Highest revision seen, decimal. A restore has to go beyond it. */
  readonly lastSeenRevision: string;
  /** What the last run set out to do. */
  readonly lastPlan: string[];
  /** For the next run. */
  readonly known: Known;
}

/** Its arguments in a program. Unknown values of one member do not hide the others in a preview. */
export type EtcdMembershipArgs = AsInputs<Omit<EtcdMembershipInputs, "members" | "restored">> & {
  readonly restored?: { readonly generation: pulumi.Input<number>; readonly clusterId: pulumi.Input<string> };
  readonly members: readonly AsInputs<DesiredMember>[];
};

const provider = forwarding("etcd-membership-impl");

/**
 * The members of an etcd cluster of our own, brought to what is declared step by step: added as learners, removed,
 * replaced, restarted, moved, upgraded or downgraded. What would lose a majority or data is refused in the preview,
 * naming the setting that allows it. Deleting it ends all members and leaves their data where they are.
 */
export class EtcdMembership extends DynamicResource<EtcdMembershipInputs> {
  declare readonly members: pulumi.Output<DesiredMember[]>;
  declare readonly version: pulumi.Output<string>;
  declare readonly plan: pulumi.Output<string[]>;
  declare readonly clusterId: pulumi.Output<string>;
  declare readonly memberStates: pulumi.Output<MemberOutcome[]>;
  declare readonly lastSeenRevision: pulumi.Output<string>;
  declare readonly lastPlan: pulumi.Output<string[]>;

  constructor(name: string, args: EtcdMembershipArgs, opts?: pulumi.CustomResourceOptions) {
    super(
      provider,
      {
        module: "etcd",
        type: "EtcdMembership",
        outputs: ["clusterId", "memberStates", "lastSeenRevision", "lastPlan", "known"],
        secretInputs: ["key"],
      },
      name,
      args as never,
      opts,
    );
  }
}
