import { join } from "node:path";
import { podUser } from "../host-cluster/pod-user.ts";
import { DirectoryTarget } from "./directory-target.ts";
import { fileSystems, requireMount } from "./mount.ts";
import type { SnapshotTarget } from "./target.ts";
import type { TargetSettings } from "./target-settings.ts";

export interface OpenOptions {
  /** Name of the deployment: its snapshots are in a directory of this name. */
  readonly deployment: string;
  /** Directories no target may be in: those of etcd's data. */
  readonly apartFrom?: readonly string[];
}

/** A deployment's part of a target. Nothing is touched yet. */
export async function openTarget(
  settings: TargetSettings,
  { deployment, apartFrom = [] }: OpenOptions,
): Promise<SnapshotTarget> {
  switch (settings.kind) {
    case "local":
      return new DirectoryTarget({ directory: join(settings.directory, deployment), apartFrom });
    case "nfs":
    case "cephfs":
      return new DirectoryTarget({
        directory: join(settings.directory, deployment),
        apartFrom,
        mounted: () => requireMount(settings.directory, fileSystems[settings.kind], adviceFor(settings.volume)),
        ...(settings.volume && { owner: podUser }),
      });
    case "s3":
      // AWS's SDK takes a quarter of a second and 30 MB, which other targets need not pay.
      return new (await import("./s3-target.ts")).S3Target(settings, deployment);
  }
}

/** What a pod has mounted need not be on this machine. */
const adviceFor = (volume: { readonly persistentVolume: string } | undefined) =>
  volume && {
    advice: `mount the file system of the PersistentVolume "${volume.persistentVolume}" there on this machine as well: snapshots before changes and restores are made here, scheduled ones by a pod that has it`,
  };
