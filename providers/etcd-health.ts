import type * as pulumi from "@pulumi/pulumi";
import type { EtcdMember } from "../lib/etcd/health.ts";
import { DynamicResource, forwarding } from "./dynamic.ts";

export type { EtcdMember };

export interface EtcdHealthInputs {
  /** Client URLs with etcd's JSON gateway, one per member: `https://10.0.0.7:2379`. */
  readonly endpoints: string[];
  /** PEM of the authority of the members' certificates. */
  readonly ca: string;
  /** Client certificate and key, PEM. */
  readonly certificate: string;
  readonly key: string;
  /** How many voters the cluster is to have. */
  readonly expectedMembers: number;
  /** How long the cluster may take to be healthy. */
  readonly timeoutSeconds: number;
}

export interface EtcdHealthOutputs {
  /** Hexadecimal. */
  readonly clusterId: string;
  /** In order of their names. Leader and sizes are those of the last change, so that they alone never count as drift. */
  readonly members: EtcdMember[];
}

const provider = forwarding("etcd-health-impl");

/** Waits until an etcd cluster has all its members, each of them healthy, and reports them. Deleting it does nothing. */
export class EtcdHealth extends DynamicResource<EtcdHealthInputs> {
  declare readonly endpoints: pulumi.Output<string[]>;
  declare readonly clusterId: pulumi.Output<string>;
  declare readonly members: pulumi.Output<EtcdMember[]>;

  constructor(
    name: string,
    args: { readonly [K in keyof EtcdHealthInputs]: pulumi.Input<EtcdHealthInputs[K]> },
    opts?: pulumi.CustomResourceOptions,
  ) {
    super(
      provider,
      { module: "etcd", type: "EtcdHealth", outputs: ["clusterId", "members"], secretInputs: ["key"] },
      name,
      args,
      opts,
    );
  }
}
