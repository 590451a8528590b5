import type * as pulumi from "@pulumi/pulumi";
import type { MemberOutcome } from "../lib/etcd/membership/outcome.ts";
import type { DesiredMember, Known } from "../lib/etcd/membership/situation.ts";
import type { EtcdRuntimeAddress } from "../lib/etcd/runtime.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export type { DesiredMember as EtcdDesiredMember, MemberOutcome as EtcdMemberOutcome };

export interface EtcdMembershipInputs {
  /** Names the cluster when it is first started; never changed after. */
  readonly token: string;
  /** What starts and stops the members. */
  readonly runtime: EtcdRuntimeAddress;
  /** Members to come to. Each is prepared by its placement, as the revision says, and started by nobody else. */
  readonly members: DesiredMember[];
  /** Version they are prepared with. */
  readonly version: string;
  /** A member whose number is raised is removed and added again with empty data: its host or disk is lost. */
  readonly replace: Record<string, number>;
  /** A database is defragmented when both are exceeded: the unused part, 0 to 1, and the size in bytes. */
  readonly defragment: { readonly fragmentation: number; readonly size: number };
  /**
   * Members that nobody declared and that do not run here: whether to do nothing at all, to leave them, or to take them
   * away. @default refuse
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
   * The last restore into the members, which runs before: what is known of the cluster's ID and revisions is no more true
   * after it. While its `clusterId` is not known it is still to come. @default none
   */
  readonly restored?: { readonly generation: number; readonly clusterId: string };
  /** Not to be given: what an `up` would do, with the cluster as it is. Made anew when something else changes, or is to be done. */
  readonly plan?: string[];
}

export interface EtcdMembershipOutputs {
  /** Hexadecimal. */
  readonly clusterId: string;
  /** In order of their names. */
  readonly memberStates: MemberOutcome[];
  /** Highest revision that was seen, decimal. A restore has to go beyond it. */
  readonly lastSeenRevision: string;
  /** What the last run set out to do. */
  readonly lastPlan: string[];
  /** For the next run. */
  readonly known: Known;
}

/** As the program declares it. What is not known yet of one member hides nothing of the others in a preview. */
export type EtcdMembershipArgs = AsInputs<Omit<EtcdMembershipInputs, "members" | "restored">> & {
  readonly restored?: { readonly generation: pulumi.Input<number>; readonly clusterId: pulumi.Input<string> };
  readonly members: readonly AsInputs<DesiredMember>[];
};

const provider = forwarding("etcd-membership-impl");

/**
 * The members of an etcd cluster of our own, brought to what is declared by one step after another: added as learners,
 * removed, replaced, restarted, moved, changed in version. What would lose a majority or data is refused in the preview,
 * with the setting that means it. Deleting it ends all members and leaves their data where they are.
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
