import type * as pulumi from "@pulumi/pulumi";
import type { EtcdRuntimeAddress } from "../lib/etcd/runtime/runtime.ts";
import type { PinnedSource, RestoreSource } from "../lib/restore/source.ts";
import type { RestoredMember } from "../lib/restore/token.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export type { RestoredMember };

/** What is restored, where, and the locks. Only a change of `generation` is a difference: the rest says how. */
export interface EtcdRestoreInputs {
  /** Name of the deployment. Changing it replaces. */
  readonly cluster: string;
  /** What runs the members, which are prepared there under these names. */
  readonly runtime: EtcdRuntimeAddress;
  readonly members: readonly RestoredMember[];
  /** PEM of the authority of the members' certificates, and a client certificate of it. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  /** Path of etcdutl on this machine, and the version of the etcd that will run. */
  readonly etcdutl: string;
  readonly etcdVersion: string;
  /** A restore is done only when this number is higher than that of the last one. */
  readonly generation: number;
  /** Without its secret, which is in `secretKey`. */
  readonly source: RestoreSource;
  /** Secret access key for S3, when it is given as such. */
  readonly secretKey?: string;
  /** The SHA-256 digest the source must have. @default the one it has at the preview */
  readonly sha256?: string;
  /** ID of the cluster whose data may go; `none` when there are none. */
  readonly replaceClusterId: string;
  /** Whether even a working cluster may go back in time. */
  readonly overwriteHealthy: boolean;
  /** Whether to accept a snapshot of another deployment, or a file that does not say whose it is. */
  readonly allowForeignSnapshot: boolean;
  /** Where the Karmada keeps its keys, for instance `/registry`. */
  readonly keyPrefix: string;
  /** Programs of the deployment that remember what etcd held. They are stopped; their resources start them again. */
  readonly programs: readonly string[];
  /** Whether to start these programs again, in their order, if no resources of theirs follow. @default false */
  readonly resume?: boolean;
  readonly timeoutSeconds: number;
  /** Exactly what is restored. Determined by the check, so that the preview shows it. */
  readonly pinned?: PinnedSource;
  /** What will be done, in sentences. Made by the check. */
  readonly plan?: readonly string[];
}

/** As the program declares it: what the check adds is not given. */
export type EtcdRestoreArgs = AsInputs<Omit<EtcdRestoreInputs, "pinned" | "plan">>;

export interface EtcdRestoreOutputs {
  readonly restoredGeneration: number;
  readonly restoredSha256: string;
  /** Hexadecimal: the cluster that runs now, and the one named in `replaceClusterId`. */
  readonly clusterId: string;
  readonly previousClusterId: string;
  readonly token: string;
  /** Decimal: what was added to the snapshot's revision, and the revision the members agreed on. */
  readonly bumpRevision: string;
  readonly revision: string;
  /** Data directory of each member by its number; those with lower numbers are previous data. */
  readonly incarnations: Readonly<Record<string, number>>;
  /** Seconds until the data lay ready, and from then until all members served them. */
  readonly seconds: { readonly prepared: number; readonly serving: number };
}

const provider = forwarding("etcd-restore-impl");

/**
 * Gives an etcd cluster the data of a snapshot: every member at once, under a new cluster ID, with its revisions raised
 * so that every client notices. Three locks prevent accidents: the generation, the ID of the cluster to be replaced,
 * and permission to overwrite a working one. Deleting it, as by removing the block, changes nothing; the data from
 * before a restore are kept beside the new ones.
 */
export class EtcdRestore extends DynamicResource<EtcdRestoreInputs> {
  declare readonly generation: pulumi.Output<number>;
  declare readonly restoredGeneration: pulumi.Output<number>;
  declare readonly clusterId: pulumi.Output<string>;
  declare readonly previousClusterId: pulumi.Output<string>;
  declare readonly revision: pulumi.Output<string>;
  declare readonly seconds: pulumi.Output<EtcdRestoreOutputs["seconds"]>;

  constructor(name: string, args: EtcdRestoreArgs, opts?: pulumi.CustomResourceOptions) {
    const outputs = [
      "restoredGeneration",
      "restoredSha256",
      "clusterId",
      "previousClusterId",
      "token",
      "bumpRevision",
      "revision",
      "incarnations",
      "seconds",
    ];
    const type = { module: "etcd", type: "EtcdRestore", outputs, secretInputs: ["runtime", "key", "secretKey"] };
    super(provider, type, name, args as never, opts);
  }
}
