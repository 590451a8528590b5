import { readFileSync } from "node:fs";
import { copySnapshot } from "../snapshots/copy.ts";
import { encryptionKey } from "../snapshots/key.ts";
import { type Manifest, newestFirst } from "../snapshots/manifest.ts";
import { saveSnapshot } from "../snapshots/save.ts";
import { TargetError } from "../snapshots/target.ts";
import { messageOf } from "../wait.ts";
import type { JournaledTarget } from "./journaled-target.ts";
import { expired } from "./retention.ts";
import type { BackupSettings } from "./settings.ts";
import type { TargetStatus } from "./status.ts";

/** What came of a run. */
export interface BackupResult {
  /** The snapshot that was taken, proved as far as the settings ask. */
  readonly snapshot?: Manifest;
  /** Why there is none. */
  readonly error?: string;
  readonly seconds: number;
  readonly targets: readonly TargetStatus[];
}

/**
 * Takes a snapshot into the first target that can be used, copies it to all others, and removes from each target that has
 * it what need not be kept. A target that fails loses nothing, and keeps no other from being served.
 */
export async function runBackup(
  settings: BackupSettings,
  targets: readonly JournaledTarget[],
  scratch: string,
): Promise<BackupResult> {
  const started = performance.now();
  const problems = new Map<JournaledTarget, string>();
  const attempt = async <T>(target: JournaledTarget, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      problems.set(target, messageOf(error));
      return undefined;
    }
  };

  for (const target of targets) await attempt(target, () => target.cleanUp());
  const taken = await take(settings, targets, scratch, problems);
  if ("snapshot" in taken) {
    const { snapshot, from } = taken;
    for (const target of targets) {
      if (target === from || problems.has(target)) continue;
      await attempt(target, () => copySnapshot(snapshot, from, target));
    }
    for (const target of targets) {
      if (!problems.has(target)) await attempt(target, () => prune(target, settings));
    }
  }
  const seconds = (performance.now() - started) / 1000;
  const states: TargetStatus[] = [];
  for (const target of targets) {
    const found = (await attempt(target, () => look(target))) ?? { snapshots: 0, damaged: 0, sizeBytes: 0 };
    const problem = problems.get(target);
    states.push({ uri: target.uri, ...found, ...(problem !== undefined && { problem }) });
  }
  return { ...("snapshot" in taken ? { snapshot: taken.snapshot } : taken), seconds, targets: states };
}

type Taken = { readonly snapshot: Manifest; readonly from: JournaledTarget } | { readonly error: string };

async function take(
  settings: BackupSettings,
  targets: readonly JournaledTarget[],
  scratch: string,
  problems: Map<JournaledTarget, string>,
): Promise<Taken> {
  const { deployment, karmadaVersion, etcd, verify, programs: tools, encryption } = settings;
  for (const target of targets) {
    if (problems.has(target)) continue;
    try {
      const snapshot = await saveSnapshot({
        source: { endpoints: etcd.endpoints, connection: connectionOf(etcd) },
        target,
        deployment,
        reason: "scheduled",
        keyPrefix: etcd.prefix,
        karmadaVersion,
        verify,
        key: encryptionKey(encryption),
        tools,
        scratch,
      });
      return { snapshot, from: target };
    } catch (error) {
      // What is not the target's fault would fail into any other just the same.
      if (!(error instanceof TargetError)) return { error: messageOf(error) };
      problems.set(target, messageOf(error));
    }
  }
  return { error: [...problems.values()].join("; ") };
}

function connectionOf({ ca, certificate, key }: BackupSettings["etcd"]) {
  const read = (path: string) => readFileSync(path, "utf8");
  return { ca: read(ca), certificate: read(certificate), key: read(key) };
}

async function prune(target: JournaledTarget, { keep }: BackupSettings): Promise<void> {
  const { snapshots } = await target.list();
  for (const { id } of expired(snapshots, keep)) await target.remove(id);
}

async function look(target: JournaledTarget): Promise<Omit<TargetStatus, "uri" | "problem">> {
  const { snapshots, damaged } = await target.list();
  const [newest] = newestFirst(snapshots);
  const sizeBytes = snapshots.reduce((sum, snapshot) => sum + snapshot.sizeBytes, 0);
  return {
    snapshots: snapshots.length,
    damaged: damaged.length,
    sizeBytes,
    ...(newest !== undefined && { newest: newest.id }),
  };
}
