import { type Manifest, newestFirst } from "../snapshots/manifest.ts";
import type { SnapshotTarget } from "../snapshots/target.ts";
import { presentCluster } from "./present-cluster.ts";
import type { BackupSettings } from "./settings.ts";
import type { BackupStatus } from "./status.ts";

type Success = NonNullable<BackupStatus["lastSuccess"]>;

/** A snapshot as the status has it. @param seconds how long it took, if that is known */
export const successOf = ({ createdAt, id, revision, sizeBytes, verified }: Manifest, seconds?: number): Success => ({
  at: createdAt,
  id,
  revision,
  sizeBytes,
  ...(seconds !== undefined && { seconds }),
  verified: verified.level,
});

/**
 * The newest scheduled snapshot of the present cluster in any target, for a program whose own status is lost. Undefined
 * where no cluster answers: what is there may be of one that is long gone. What cannot be read the next run tells.
 */
export async function lastSuccessIn(
  targets: readonly Pick<SnapshotTarget, "list">[],
  { etcd }: Pick<BackupSettings, "etcd">,
): Promise<Success | undefined> {
  const current = await presentCluster(etcd).catch(() => undefined);
  if (current === undefined) return undefined;
  const lists = await Promise.all(targets.map((target) => target.list().catch(() => ({ snapshots: [] }))));
  const own = lists
    .flatMap(({ snapshots }) => snapshots)
    .filter(({ reason, clusterId }) => reason === "scheduled" && clusterId === current);
  const [newest] = newestFirst(own);
  return newest && successOf(newest);
}
