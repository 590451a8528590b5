import { DamagedSnapshot } from "../snapshots/contents.ts";
import { encryptionKey } from "../snapshots/key.ts";
import { newestFirst } from "../snapshots/manifest.ts";
import type { SnapshotTarget } from "../snapshots/target.ts";
import { verifySnapshot } from "../snapshots/verify.ts";
import { messageOf } from "../wait.ts";
import type { BackupSettings } from "./settings.ts";

/** What came of a restore drill. */
export interface DrillResult {
  /** The snapshot an etcd was started from. */
  readonly id?: string;
  /** Keys of the Karmada found in it. */
  readonly keys?: number;
  readonly seconds: number;
  /** What was found to be damaged, or why no etcd could be started. */
  readonly problem?: string;
}

/**
 * Restores the newest snapshot for real and notes the proof in its manifest, which keeps it from being deleted before
 * another is proved so. When it is damaged the ones before it are tried: it is worth knowing how far back one would have to go.
 */
export async function runDrill(
  { encryption, programs: tools }: BackupSettings,
  target: SnapshotTarget,
  scratch: string,
): Promise<DrillResult> {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  const damaged: string[] = [];
  try {
    const { snapshots } = await target.list();
    for (const snapshot of newestFirst(snapshots).slice(0, tries)) {
      try {
        const options = { key: encryptionKey(encryption), tools, scratch };
        const { manifest, drill } = await verifySnapshot(target, snapshot, "restore", options);
        await target.commit(manifest);
        return {
          id: snapshot.id,
          ...(drill !== undefined && { keys: drill.keys }),
          seconds: seconds(),
          ...(damaged.length > 0 && { problem: damaged.join("; ") }),
        };
      } catch (error) {
        if (!(error instanceof DamagedSnapshot)) throw error;
        damaged.push(messageOf(error));
      }
    }
    return { seconds: seconds(), problem: damaged.join("; ") || `${target.uri}: there is no snapshot to restore` };
  } catch (error) {
    return { seconds: seconds(), problem: [...damaged, messageOf(error)].join("; ") };
  }
}

const tries = 3;
