import { type Manifest, newestFirst } from "../snapshots/manifest.ts";
import type { JournaledTarget } from "./journaled-target.ts";
import type { TargetStatus } from "./status.ts";

/** What is in a target. @param current IDs of the present cluster */
export async function look(
  target: JournaledTarget,
  current: readonly string[],
): Promise<Omit<TargetStatus, "uri" | "name" | "problem">> {
  const { snapshots, damaged } = await target.list();
  const incomplete = await withoutParts(target, snapshots);
  const [newest] = newestFirst(snapshots, current);
  const sizeBytes = snapshots.reduce((sum, snapshot) => sum + snapshot.sizeBytes, 0);
  return {
    snapshots: snapshots.length,
    damaged: damaged.length + incomplete.length,
    sizeBytes,
    ...(newest !== undefined && { newest: newest.id }),
  };
}

/** Those that cannot be restored, since what a present cluster of the deployment held is lost. */
async function withoutParts(target: JournaledTarget, snapshots: readonly Manifest[]): Promise<Manifest[]> {
  const whole = new Map<string, ReadonlySet<string>>();
  for (const [deployment, part] of target.parts) {
    whole.set(deployment, new Set((await part.list()).snapshots.map(({ id }) => id)));
  }
  return snapshots.filter(({ parts = [] }) =>
    parts.some(({ deployment, id }) => whole.get(deployment)?.has(id) === false),
  );
}
