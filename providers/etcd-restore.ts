import type * as pulumi from "@pulumi/pulumi";
import type { EtcdRuntimeAddress } from "../lib/etcd/runtime.ts";
import type { PinnedSource, RestoreSource } from "../lib/restore/source.ts";
import type { RestoredMember } from "../lib/restore/token.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export type { RestoredMember, RestoreSource };

/** What is restored, where, and that it is meant. Only `generation` makes a difference: the rest says how. */
export interface EtcdRestoreInputs {
  /** Name of the deployment. Changing it replaces. */
  readonly cluster: string;
  /** Whoever runs the members. They are prepared there, under these names. */
  readonly runtime: EtcdRuntimeAddress;
  readonly members: readonly RestoredMember[];
  /** PEM of the authority of the members' certificates, and a client certificate of it. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  /** Path of etcdutl on this machine, and the version of the etcd that will run. */
  readonly etcdutl: string;
  readonly etcdVersion: string;
  /** A restore is done when this number is higher than that of the last one, and never else. */
  readonly generation: number;
  /** Without its secret, which is in `secretKey`. */
  readonly source: RestoreSource;
  /** Secret access key for S3, when it is given as such. */
  readonly secretKey?: string;
  /** The SHA-256 digest the source must have. @default whatever it has when the restore is previewed */
  readonly sha256?: string;
  /** ID of the cluster whose data may go; `none` when there are none. */
  readonly replaceClusterId: string;
  /** Also a cluster that works may go back in time. */
  readonly overwriteHealthy: boolean;
  /** Also a snapshot of another deployment, or a file that does not say whose it is. */
  readonly allowForeignSnapshot: boolean;
  /** Where the Karmada keeps its keys, for instance `/registry`. */
  readonly keyPrefix: string;
  /** Programs of the deployment that remember what etcd held. They are ended; their resources start them again. */
  readonly programs: readonly string[];
  /** Starts these programs again, in their order, where no resources of theirs follow. @default false */
  readonly resume?: boolean;
  readonly timeoutSeconds: number;
  /** Exactly what is restored. Found out by the check, so that the preview shows it. */
  readonly pinned?: PinnedSource;
  /** What will be done, in sentences. Made by the check. */
  readonly plan?: readonly string[];
}

/** As the program declares it: what the check adds is not given. */
export type EtcdRestoreArgs = AsInputs<Omit<EtcdRestoreInputs, "pinned" | "plan">>;

export interface EtcdRestoreOutputs {
  readonly restoredGeneration: number;
  readonly restoredSha256: string;
  /** Hexadecimal: the cluster that runs now, and what was named in `replaceClusterId`. */
  readonly clusterId: string;
  readonly previousClusterId: string;
  readonly token: string;
  /** Decimal: what was added to the snapshot's revision, and the revision the members agreed on. */
  readonly bumpRevision: string;
  readonly revision: string;
  /** Data directory of each member by its number; those with lower numbers are the data of before. */
  readonly incarnations: Readonly<Record<string, number>>;
  /** Seconds until the data lay ready, and from then until all members served them. */
  readonly seconds: { readonly prepared: number; readonly serving: number };
}

const provider = forwarding("etcd-restore-impl");

/**
 * Gives an etcd cluster the data of a snapshot: every member at once, under a new cluster ID, with its revisions put up so
 * that every client notices. Three locks keep it from being done by accident: the generation, the ID of the cluster
 * that goes, and leave to overwrite one that works. Deleting it, as by removing the block, changes nothing; the data of
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
