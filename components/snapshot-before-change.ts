import type * as pulumi from "@pulumi/pulumi";
import type { EtcdAccessArgs } from "./etcd-access.ts";
import { createSnapshot, type SnapshotSettings } from "./snapshot.ts";

/** The cluster to be kept, and what may put it at risk. */
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
 * the resource. It takes none while there is no cluster yet, nor of data that a restore replaces. Declared once it is known
 * what comes before it; undefined when the settings want none, or have no target.
 */
export function snapshotBeforeChange(
  name: string,
  { access, settings, risks, restoring }: SnapshotBeforeChangeArgs,
  opts: pulumi.CustomResourceOptions,
): (dependsOn: readonly pulumi.Resource[]) => pulumi.Resource | undefined {
  if (settings.targets.length === 0 || settings.beforeChange === "never") return () => undefined;
  const args = {
    access,
    settings,
    reason: "before-change" as const,
    triggers: risks,
    restoring,
    required: settings.beforeChange === "required",
    onDelete: "keep" as const,
  };
  return (dependsOn) => createSnapshot(name, args, { ...opts, dependsOn: [...dependsOn] });
}
