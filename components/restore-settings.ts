import type * as pulumi from "@pulumi/pulumi";
import type { RestoreProgram } from "../spec/restore-program.ts";

/** The block `etcd.restore` of a deployment, or `restore` of a stack of its own. */
export type RestoreSettings = RestoreProgram<pulumi.Output<string>>["restore"] & {
  /** For a further cluster: `replaceClusterId` of the first one, whose latest snapshot they share. @default its own */
  readonly replacesFirst?: string;
};

/**
 * The settings for one of the clusters that hold some kinds of objects. Undefined if there is nothing for it: a file or
 * the data of a member belong to the cluster that holds everything else.
 */
export function restoreOfPart(settings: RestoreSettings, part: string): RestoreSettings | undefined {
  if (settings.source.kind !== "snapshot") return undefined;
  const { sha256, ...rest } = settings;
  const { replaceClusterId: replacesFirst } = settings;
  return { ...rest, replacesFirst, replaceClusterId: settings.overrides[part] ?? "none" };
}
