import type * as pulumi from "@pulumi/pulumi";
import type { HostAddress } from "../lib/hosts/address.ts";
import type { ProgramPod } from "../lib/kube/pod-file.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface EtcdBackupStatusInputs {
  /** The status file of the backup program. Changing it replaces. */
  readonly path: string;
  /** Where that is. Secret. Another host is another file. @default this machine */
  readonly host?: HostAddress;
  /** The pod that has it. Secret. @default this machine */
  readonly pod?: ProgramPod;
  /** What is installed, by name. */
  readonly versions: Readonly<Record<string, string>>;
  /** Refuses another version while backups are overdue, or have failed from the first on. */
  readonly gate: boolean;
  /** How long to wait for the first snapshot. */
  readonly timeoutSeconds: number;
}

/** As of the last change, or of the last refresh that found something wrong: time alone is no difference. */
export interface EtcdBackupStatusOutputs {
  /** When the newest snapshot was begun, RFC 3339. */
  readonly lastSuccess?: string;
  /** Revision of etcd in it. */
  readonly lastRevision?: string;
  readonly ageSeconds?: number;
  /** Everything that is wrong. */
  readonly problem?: string;
}

const provider = forwarding("etcd-backup-status-impl");

/**
 * The results of scheduled backups. It exists once the first snapshot does; if that fails it is an error, if it takes
 * long it is not waited for. Deleting it does nothing.
 */
export class EtcdBackupStatus extends DynamicResource<EtcdBackupStatusInputs> {
  declare readonly path: pulumi.Output<string>;
  declare readonly lastSuccess: pulumi.Output<string | undefined>;
  declare readonly lastRevision: pulumi.Output<string | undefined>;
  declare readonly ageSeconds: pulumi.Output<number | undefined>;
  declare readonly problem: pulumi.Output<string | undefined>;

  constructor(name: string, args: AsInputs<EtcdBackupStatusInputs>, opts?: pulumi.CustomResourceOptions) {
    const outputs = ["lastSuccess", "lastRevision", "ageSeconds", "problem"];
    const type = { module: "etcd", type: "EtcdBackupStatus", outputs, secretInputs: ["host", "pod"] };
    super(provider, type, name, args, opts);
  }
}
