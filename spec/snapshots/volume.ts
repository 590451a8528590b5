import { posix } from "node:path";
import { z } from "zod";
import { text, words } from "../field.ts";
import type { Problem } from "../problems.ts";
import type { TypedTarget } from "./targets.ts";

/** What holds a target's directory in a host cluster. */
export const volume = z
  .strictObject({
    persistentVolume: text(
      /^(?=.{1,200}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/,
      'the name of a PersistentVolume such as "karmada-backup"',
    ).describe("Name of the PersistentVolume, which is there already and keeps its data (`Retain`)."),
    storageClass: words("the name of a storage class").optional().describe("Its storage class, where it has one."),
  })
  .describe(
    "In a host cluster with a schedule: the PersistentVolume that the pod for scheduled snapshots has at `directory`. Snapshots before changes and restores are made on this machine, where the same is mounted at `directory`.",
  );

export type TypedVolume = z.output<typeof volume>;

/** Finds volumes that nothing would mount. */
export const refuseVolumes = (targets: readonly TypedTarget[]): Problem[] =>
  targets.flatMap((target, i) => refuseVolume(target, ["snapshots", "targets", i]));

/** The same of one target. */
export function refuseVolume(target: TypedTarget, path: Problem["path"]): Problem[] {
  if (volumeOf(target) === undefined) return [];
  const message =
    'got one, want none: only the pod that takes scheduled snapshots with placement.kind "kubernetes" mounts it';
  return [{ path: [...path, "volume"], message }];
}

/** Finds what the pod for scheduled snapshots could not mount. @param there when that is, in words */
export function checkVolumes(targets: readonly TypedTarget[], there: string): Problem[] {
  const held = targets.map((target) => volumeOf(target)?.persistentVolume);
  return targets.flatMap((target, i) => {
    const path = ["snapshots", "targets", i];
    switch (target.kind) {
      case "s3":
        return [];
      case "local": {
        const wanted = 'want "s3", or "nfs" or "cephfs" with a volume';
        return [
          {
            path: [...path, "kind"],
            message: `got "local", ${wanted}, ${there}: it would be on whichever node has the pod`,
          },
        ];
      }
      case "nfs":
      case "cephfs":
        return [
          ...checkVolume(target.volume, held.indexOf(held[i]), i, there),
          ...checkMountPath(target.directory, [...path, "directory"]),
        ];
    }
  });
}

function checkVolume(volume: TypedVolume | undefined, first: number, i: number, there: string): Problem[] {
  const path = ["snapshots", "targets", i, "volume"];
  if (volume === undefined) {
    const message = `missing, want the PersistentVolume of the file system ${there}, or a target of kind "s3": the pod sees no mounts of its node`;
    return [{ path, message }];
  }
  if (first === i) return [];
  const message = `got "${volume.persistentVolume}", which is that of targets[${first}], want another one`;
  return [{ path: [...path, "persistentVolume"], message }];
}

/** A volume hides what the image has at its place, and there are volumes of the pod's own. */
function checkMountPath(directory: string, path: Problem["path"]): Problem[] {
  const place = posix.normalize(`${directory}/`);
  const taken = [...ofImage, ...ofPod].find((each) => place.startsWith(`${each}/`) || `${each}/`.startsWith(place));
  if (taken === undefined) return [];
  const message = `got "${directory}", want one in which the pod has nothing itself, such as "/mnt/backup": it needs ${taken}`;
  return [{ path, message }];
}

const ofImage = ["/bin", "/dev", "/etc", "/lib", "/lib64", "/proc", "/sbin", "/sys", "/usr"];
const ofPod = ["/program", "/tmp", "/tools", "/var/lib/etcd"];

const volumeOf = (target: TypedTarget): TypedVolume | undefined => ("volume" in target ? target.volume : undefined);
