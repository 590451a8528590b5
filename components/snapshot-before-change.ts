import type * as pulumi from "@pulumi/pulumi";
import type { EtcdSnapshot } from "../providers/etcd-snapshot.ts";
import type { EtcdAccessArgs } from "./etcd-access.ts";
import { createSnapshot, type SnapshotSettings } from "./snapshot.ts";

export interface SnapshotBeforeChangeArgs {
  readonly access: EtcdAccessArgs;
  readonly settings: SnapshotSettings;
  /** What of the deployment puts its data at risk when it changes: versions, members, schemes of addresses, quota, restores. */
  readonly risks: pulumi.Input<Record<string, string>>;
  /** Generation of the restore that is declared: while it is still to be done, nothing is taken. */
  readonly restoring?: number | undefined;
}

/**
 * A snapshot of the cluster as it is, whenever one of the risks is about to change: what carries the change out depends on
 * the resource. It takes none while there is no cluster yet, nor of data that a restore replaces. Undefined when the settings want none, or have no target.
 */
export function snapshotBeforeChange(
  name: string,
  { access, settings, risks, restoring }: SnapshotBeforeChangeArgs,
  opts: pulumi.CustomResourceOptions,
): EtcdSnapshot | undefined {
  if (settings.targets.length === 0 || settings.beforeChange === "never") return undefined;
  return createSnapshot(
    name,
    {
      access,
      settings,
      reason: "before-change",
      triggers: risks,
      restoring,
      required: settings.beforeChange === "required",
      onDelete: "keep",
    },
    opts,
  );
}
