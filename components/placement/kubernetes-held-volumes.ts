import { claimOf } from "../../lib/host-cluster/written-volumes.ts";
import type { Process } from "../process.ts";

/** Volumes of the host cluster that a process writes to. */
export const heldBy = ({ name, writes = [] }: Pick<Process, "name" | "writes">) =>
  writes.flatMap(({ path, volume }) =>
    volume === undefined ? [] : [{ path, ...volume, claim: claimOf(name, volume.persistentVolume) }],
  );

/** Those volumes in its pod, and where its container has them. */
export function heldVolumes(process: Process) {
  const held = heldBy(process);
  return {
    volumes: held.map(({ claim }, i) => ({ name: `written-${i}`, persistentVolumeClaim: { claimName: claim } })),
    mounts: held.map(({ path }, i) => ({ name: `written-${i}`, mountPath: path })),
    // Each start would otherwise take as long as there are files.
    security: held.length === 0 ? {} : { fsGroupChangePolicy: "OnRootMismatch" },
  };
}
