import type * as pulumi from "@pulumi/pulumi";
import type { EtcdConditions, EtcdState } from "../lib/etcd/conditions.ts";
import type { EtcdMember } from "../lib/etcd/member.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export type { EtcdConditions, EtcdMember, EtcdState };

export interface EtcdHealthInputs {
  /** Client URLs with etcd's JSON gateway, one per member: `https://10.0.0.7:2379`. */
  readonly endpoints: string[];
  /** PEM of the authority of the members' certificates. */
  readonly ca: string;
  /** Client certificate and key, PEM. */
  readonly certificate: string;
  readonly key: string;
  /** Cluster that the last restore made, hexadecimal: a change makes it look again. @default none */
  readonly restored?: string;
  /** How many voters the cluster is to have. */
  readonly expectedMembers: number;
  /** Changes with everything done to the members, and makes it look again. @default never */
  readonly after?: string;
  /** How long the cluster may take to be healthy. */
  readonly timeoutSeconds: number;
}

export interface EtcdHealthOutputs {
  /** Hexadecimal. */
  readonly clusterId: string;
  readonly state: EtcdState;
  readonly conditions: EtcdConditions;
  /** Members that may be lost now without an outage. */
  readonly tolerates: number;
  /** In order of their names. Roles, raft indexes and sizes are those of the last change, so that they alone never count as drift. */
  readonly members: EtcdMember[];
}

const provider = forwarding("etcd-health-impl");

/** Waits until an etcd cluster has all its members, each of them healthy, and reports them. Deleting it does nothing. */
export class EtcdHealth extends DynamicResource<EtcdHealthInputs> {
  declare readonly endpoints: pulumi.Output<string[]>;
  declare readonly clusterId: pulumi.Output<string>;
  declare readonly state: pulumi.Output<EtcdState>;
  declare readonly conditions: pulumi.Output<EtcdConditions>;
  declare readonly tolerates: pulumi.Output<number>;
  declare readonly members: pulumi.Output<EtcdMember[]>;

  constructor(name: string, args: AsInputs<EtcdHealthInputs>, opts?: pulumi.CustomResourceOptions) {
    super(
      provider,
      {
        module: "etcd",
        type: "EtcdHealth",
        outputs: ["clusterId", "state", "conditions", "tolerates", "members"],
        secretInputs: ["key"],
      },
      name,
      args,
      opts,
    );
  }
}
