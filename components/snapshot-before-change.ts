import type * as pulumi from "@pulumi/pulumi";
import type { EtcdAccessArgs } from "./etcd-access.ts";
import { createSnapshot, type SnapshotSettings } from "./snapshot.ts";

/** The cluster to protect, and what may put it at risk. */
export interface SnapshotBeforeChangeArgs {
  readonly access: EtcdAccessArgs;
  readonly settings: SnapshotSettings;
  /**
   * Parts of the deployment whose change puts its data at risk: versions, members, schemes of addresses, quota,
   * restores.
   */
  readonly risks: pulumi.Input<Record<string, string>>;
  /** Generation of the declared restore: while it is pending, no snapshot is taken. */
  readonly restoring?: number | undefined;
}

/**
 * A snapshot of the present cluster whenever one of the risks is about to change: what carries out the change depends
 * on this resource. It takes none while there is no cluster yet, nor of data that a restore replaces. Declared once its
 * dependencies are known; undefined if the settings want none, or have no target.
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
