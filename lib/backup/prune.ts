import { abandonedMinutes } from "../snapshots/listing.ts";
import type { Manifest, Part } from "../snapshots/manifest.ts";
import type { SnapshotTarget } from "../snapshots/target.ts";
import type { JournaledTarget } from "./journaled-target.ts";
import { expired, type Keep } from "./retention.ts";

/** What decides about the snapshots of a target. */
export interface PruneRules {
  readonly keep: Keep;
  /** ID of the present cluster. */
  readonly current: string;
  /** Opens the same target for a cluster that no longer belongs to the deployment. */
  readonly open: (part: string) => Promise<SnapshotTarget>;
}

/**
 * Removes what is expired, with its parts, and parts that never got to belong to anything.
 * @returns how many snapshots and lone parts went
 */
export async function prune(target: JournaledTarget, { keep, current, open }: PruneRules): Promise<number> {
  const { snapshots } = await target.list();
  const gone = expired(snapshots, keep, current);
  for (const { id, parts = [] } of gone) {
    // Only this manifest names these: after a kill in between, the next run must find them through it.
    for (const part of parts) await removePart(target, part, open);
    await target.remove(id);
  }
  const named = new Set(
    snapshots.filter((each) => !gone.includes(each)).flatMap(({ parts = [] }) => parts.map(({ id }) => id)),
  );
  let forsaken = 0;
  for (const part of target.parts.values()) {
    for (const found of (await part.list()).snapshots) {
      if (named.has(found.id) || !isForsaken(found)) continue;
      await part.remove(found.id);
      forsaken++;
    }
  }
  return gone.length + forsaken;
}

async function removePart(target: JournaledTarget, { deployment, id }: Part, open: PruneRules["open"]): Promise<void> {
  const own = target.parts.get(deployment);
  if (own !== undefined) return own.remove(id);
  const former = await open(deployment);
  try {
    await former.remove(id);
  } finally {
    former.close();
  }
}

/**
 * Whether nobody is going to name a part that no manifest names. Another machine may be taking the snapshot that it
 * belongs to; what this one did not finish is in the journal.
 */
const isForsaken = ({ reason, verified }: Manifest): boolean =>
  reason === "scheduled" && Date.now() - Date.parse(verified.at) > abandonedMinutes * 60_000;
