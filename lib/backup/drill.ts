import { DamagedSnapshot } from "../snapshots/contents.ts";
import { encryptionKey } from "../snapshots/key.ts";
import { type Manifest, newestFirst } from "../snapshots/manifest.ts";
import { partsOf, type Wanted } from "../snapshots/mend.ts";
import { isDamaged, type SnapshotTarget, TargetError } from "../snapshots/target.ts";
import { type VerifyOptions, verifySnapshot } from "../snapshots/verify.ts";
import { messageOf } from "../wait.ts";
import type { JournaledTarget } from "./journaled-target.ts";
import type { BackupSettings } from "./settings.ts";

/** The result of a restore drill. */
export interface DrillResult {
  /** The snapshot an etcd was started from. */
  readonly id?: string;
  /** Keys of the Karmada found in it. */
  readonly keys?: number;
  readonly seconds: number;
  /** What was found to be damaged, or why no etcd could be started. */
  readonly problem?: string;
  /** Says nothing about any snapshot: the target did not answer, or there was no room. */
  readonly isUnjudged?: true;
}

/**
 * Really restores the newest snapshot, with its parts from further clusters, and notes the proof in its manifest, which
 * keeps it from being deleted before another one is proved. If it is damaged, earlier ones are tried, to show how far
 * back one would have to go.
 *
 * @param lastTaken ID of the snapshot that was taken last: of the cluster that is there now
 */
export async function runDrill(
  { encryption, programs: tools }: BackupSettings,
  target: JournaledTarget,
  scratch: string,
  lastTaken?: string,
): Promise<DrillResult> {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  const damaged: string[] = [];
  try {
    const { snapshots } = await target.list();
    const current = snapshots.filter(({ id }) => id === lastTaken).map(({ clusterId }) => clusterId);
    for (const snapshot of newestFirst(snapshots, current).slice(0, tries)) {
      try {
        const options = { key: encryptionKey(encryption), tools, scratch };
        for (const part of partsOf(snapshot)) {
          const of = target.parts.get(part.deployment);
          // Nothing would be restored of a cluster that no longer belongs to the deployment.
          if (of !== undefined) await prove(of, await whole(of, part, snapshot), options);
        }
        const drill = await prove(target, snapshot, options);
        return {
          id: snapshot.id,
          ...(drill !== undefined && { keys: drill.keys }),
          seconds: seconds(),
          ...(damaged.length > 0 && { problem: damaged.join("; ") }),
        };
      } catch (error) {
        // Somebody else has removed it meanwhile.
        if ((await target.head(snapshot.id)) === undefined) continue;
        if (!(error instanceof DamagedSnapshot)) throw error;
        damaged.push(messageOf(error));
      }
    }
    if (damaged.length > 0) return { seconds: seconds(), problem: damaged.join("; ") };
    throw new Error(`${target.uri}: there is no snapshot to restore`);
  } catch (error) {
    return { seconds: seconds(), problem: [...damaged, messageOf(error)].join("; "), isUnjudged: true };
  }
}

const tries = 3;

/** Notes nothing about a snapshot removed while it was read: only a manifest without data would be left of it. */
async function prove(target: SnapshotTarget, snapshot: Manifest, options: VerifyOptions) {
  const { manifest, drill } = await verifySnapshot(target, snapshot, "restore", options);
  const found = await target.head(snapshot.id);
  if (found === undefined || isDamaged(found))
    throw new TargetError("missing", `${target.uri}/${snapshot.file}: it was removed while it was restored on trial`);
  await target.commit(manifest);
  return drill;
}

/** What belongs to a snapshot. */
async function whole(target: SnapshotTarget, { id, file }: Wanted, of: Manifest): Promise<Manifest> {
  const found = await target.head(id);
  if (found !== undefined && !isDamaged(found)) return found.manifest;
  const how = found === undefined ? "it is lost" : `it is damaged: ${found.problem}`;
  throw new DamagedSnapshot(`${target.uri}/${file}: ${how}, and ${of.id} is not whole without it`);
}
