import { fileSystems, seemsMounted } from "../lib/snapshots/mount.ts";
import type { Deployment } from "../spec/deployment.ts";

/**
 * Targets that only a pod has mounted, so that a snapshot before a change would stop it.
 * @param mountinfo for tests @default that of this machine
 */
export const mountWarnings = (
  { targets, beforeChange }: Pick<Deployment<unknown>["snapshots"], "targets" | "beforeChange">,
  mountinfo?: string,
): string[] =>
  targets.flatMap((target, i) => {
    if (!("volume" in target) || target.volume === undefined || beforeChange !== "required") return [];
    const { kind, directory } = target;
    if (seemsMounted(directory, fileSystems[kind], mountinfo)) return [];
    return [
      `snapshots.targets[${i}].directory: ${directory} is no mount of ${names[kind]} on this machine: a change that needs a snapshot first will not be made\nmount the file system of the PersistentVolume "${target.volume.persistentVolume}" there as well, or set snapshots.beforeChange to "best-effort"`,
    ];
  });

const names = { nfs: "NFS", cephfs: "CephFS" } as const;
