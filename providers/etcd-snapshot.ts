import type * as pulumi from "@pulumi/pulumi";
import type { Manifest, VerifyLevel } from "../lib/snapshots/manifest.ts";
import type { ClusterPart, Copy } from "../lib/snapshots/take.ts";
import type { TargetSettings } from "../lib/snapshots/target-settings.ts";
import type { EncryptionSettings } from "../spec/snapshots/encryption.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export type { Copy, Manifest };

/** A target whose secrets are elsewhere, see {@link EtcdSnapshotInputs.secretKeys}. */
export type PlainTarget = TargetSettings;

export interface EtcdSnapshotInputs {
  /** Whose data it is; its snapshots lie under this name. Changing it replaces. */
  readonly deployment: string;
  /** Client URLs of the members. If they are moving, one before a change is taken at their old ones. */
  readonly endpoints: string[];
  /** The clusters that hold some kinds of its objects: their snapshots are part of this one. @default none */
  readonly parts?: ClusterPart[];
  /** PEM of the authority of the members' certificates. */
  readonly ca: string;
  /** Client certificate and key, PEM. */
  readonly certificate: string;
  readonly key: string;
  /** Where the Karmada keeps its keys. */
  readonly keyPrefix: string;
  readonly karmadaVersion?: string;
  /** Version of the programs that verify it, from the toolchain's list. */
  readonly etcdVersion: string;
  /**
   * The first is the main one, the others hold copies. Another main one replaces an on-demand snapshot; others are brought
   * up to date. Secret access keys are empty here.
   */
  readonly targets: PlainTarget[];
  /** Secret access keys of S3 targets, by their position in `targets`. */
  readonly secretKeys: Record<string, string>;
  /** Where the key is, never the key. */
  readonly encryption: EncryptionSettings;
  /** A higher level verifies the existing snapshot further; it takes no new one. */
  readonly verify: VerifyLevel;
  readonly scratch?: string;
  /** Directories no target may be in: those of etcd's data. */
  readonly apartFrom: string[];
  /**
   * `on-demand`: one snapshot; another one (triggers, main target, deployment) is made first, then this one is deleted.
   * `before-change`: update takes another one and leaves earlier ones where they are; while there is no cluster yet,
   * nothing is taken.
   */
  readonly reason: "on-demand" | "before-change";
  /** Any values; a change takes another snapshot. */
  readonly triggers: Record<string, string>;
  /**
   * Generation of the declared restore, if any. If it differs from the last run's, the restore is pending: nothing is
   * taken of what it replaces, which stays on the members' disks. Nor must one be taken later of a cluster without a
   * majority, which a failed restore is still to replace.
   */
  readonly restoring?: number;
  /** Whether a snapshot that cannot be taken is an error, or only reported. @default true */
  readonly required?: boolean;
  /** What becomes of the data when this resource is deleted. The last verified snapshot of a target is always kept. */
  readonly onDelete: "keep" | "delete";
}

export interface EtcdSnapshotOutputs {
  /**
   * `none-bootstrap`: there was no cluster yet. `none-restore`: a restore replaces the data. `failed`: it could not be taken,
   * and did not have to be.
   */
  readonly state: "taken" | "none-bootstrap" | "none-restore" | "failed";
  /** URI of the data in the main target. */
  readonly uri?: string;
  readonly manifest?: Manifest;
  readonly copies: readonly Copy[];
}

const provider = forwarding("etcd-snapshot-impl");

/**
 * A snapshot of etcd, taken from a follower, verified, stored in every target. Refresh reads it again: if it is lost or
 * damaged, the next `up` repairs it from a copy, or takes a new one.
 */
export class EtcdSnapshot extends DynamicResource<EtcdSnapshotInputs> {
  declare readonly state: pulumi.Output<EtcdSnapshotOutputs["state"]>;
  declare readonly uri: pulumi.Output<string | undefined>;
  declare readonly manifest: pulumi.Output<Manifest | undefined>;
  declare readonly copies: pulumi.Output<readonly Copy[]>;

  constructor(name: string, args: AsInputs<EtcdSnapshotInputs>, opts?: pulumi.CustomResourceOptions) {
    super(
      provider,
      {
        module: "etcd",
        type: "EtcdSnapshot",
        outputs: ["state", "uri", "manifest", "copies"],
        secretInputs: ["key", "secretKeys"],
      },
      name,
      args,
      opts,
    );
  }
}
