import type * as pulumi from "@pulumi/pulumi";
import type { EtcdRuntimeAddress } from "../lib/etcd/runtime/runtime.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";
import type { EtcdConditions, EtcdMember, EtcdState } from "./etcd-health.ts";

export interface ExternalEtcdInputs {
  /** Client URLs of voters: `https://10.0.0.7:2379`. */
  readonly endpoints: string[];
  /** PEM of the authority of the members' certificates. */
  readonly ca: string;
  /** Client certificate and key, PEM. Where etcd's authentication is on, the common name is the user. */
  readonly certificate: string;
  readonly key: string;
  /**
   * For a user who may see the status of each member and take snapshots, PEM: if authentication is on, one with the
   * role root. @default the client certificate and key
   */
  readonly maintenanceCertificate?: string;
  readonly maintenanceKey?: string;
  /** Where all of this Karmada's keys are, with a slash in front: `/karmada`. Changing it replaces, and loses sight of the data. */
  readonly prefix: string;
  /**
   * Identifies this deployment: it is noted under the prefix, which no other may use then. Changing it changes the
   * note.
   */
  readonly owner: string;
  /** Its display name, noted beside the owner for whoever finds the prefix taken. */
  readonly deployment: string;
  /** Takes over a prefix that holds the keys of another, or keys without a note, unless an API server still uses them. @default false */
  readonly adopt?: boolean;
  /**
   * ID of the cluster as the stack that runs it tells it, hexadecimal. When it changes, the data were restored there: the
   * programs that remember others are stopped, and their resources start them again. @default unknown
   */
  readonly cluster?: string;
  /** What runs these programs, with `cluster`. Secret. */
  readonly runtime?: EtcdRuntimeAddress;
  /** Programs of the deployment that remember what etcd held. @default none */
  readonly programs?: readonly string[];
  /** How long the probes may take. */
  readonly timeoutSeconds: number;
}

export interface ExternalEtcdOutputs {
  /** Hexadecimal. */
  readonly clusterId: string;
  /** Version by endpoint, for instance `3.6.6`. */
  readonly versions: Record<string, string>;
  /** The cluster's health when it last changed. Problems are for its operators to fix. */
  readonly state: EtcdState;
  readonly conditions: EtcdConditions;
  /** Members that may be lost now without an outage. */
  readonly tolerates: number;
  readonly members: EtcdMember[];
}

const provider = forwarding("external-etcd-impl");

/**
 * An etcd that somebody else runs, checked before anything uses it: all endpoints are voters of one cluster, which has
 * no alarm; a key is written, read and deleted under the prefix; and the prefix is noted as this deployment's. A prefix
 * that holds another Karmada is refused, unless that one is gone and its data are to be taken over. Deleting it keeps
 * all data, and the note as long as there are any.
 */
export class ExternalEtcd extends DynamicResource<ExternalEtcdInputs> {
  declare readonly endpoints: pulumi.Output<string[]>;
  declare readonly prefix: pulumi.Output<string>;
  declare readonly clusterId: pulumi.Output<string>;
  declare readonly versions: pulumi.Output<Record<string, string>>;
  declare readonly state: pulumi.Output<EtcdState>;
  declare readonly conditions: pulumi.Output<EtcdConditions>;
  declare readonly tolerates: pulumi.Output<number>;
  declare readonly members: pulumi.Output<EtcdMember[]>;

  constructor(name: string, args: AsInputs<ExternalEtcdInputs>, opts?: pulumi.CustomResourceOptions) {
    super(
      provider,
      {
        module: "etcd",
        type: "ExternalEtcd",
        outputs: ["clusterId", "versions", "state", "conditions", "tolerates", "members"],
        secretInputs: ["key", "maintenanceKey", "runtime"],
      },
      name,
      args,
      opts,
    );
  }
}
