import { copySnapshot } from "../snapshots/copy.ts";
import { encryptionKey } from "../snapshots/key.ts";
import { type Manifest, type Part, partDeployment } from "../snapshots/manifest.ts";
import { openTarget } from "../snapshots/open-target.ts";
import { saveSnapshot } from "../snapshots/save.ts";
import { isDamaged, TargetError } from "../snapshots/target.ts";
import { messageOf } from "../wait.ts";
import type { JournaledTarget } from "./journaled-target.ts";
import { look } from "./look.ts";
import { connectionOf, presentCluster } from "./present-cluster.ts";
import { prune } from "./prune.ts";
import { withRoom } from "./room.ts";
import type { BackupSettings } from "./settings.ts";
import type { TargetStatus } from "./status.ts";

/** The result of a run. */
export interface BackupResult {
  /** The snapshot that was taken, proved as far as the settings ask. */
  readonly snapshot?: Manifest;
  /** Why there is none. */
  readonly error?: string;
  readonly seconds: number;
  readonly targets: readonly TargetStatus[];
}

/**
 * Takes a snapshot into the first target that can be used, copies it to all others, and removes from each target that
 * has it, or has no room for it, what need not be kept. A target that fails loses nothing else and does not hold up the
 * others.
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
  const pruneTarget: Pruning = (target, current) => {
    const at = settings.targets[targets.indexOf(target)]!;
    const open = (part: string) => openTarget(at, { deployment: part, apartFrom: settings.apartFrom });
    return prune(target, { keep: settings.keep, current, open });
  };

  for (const target of targets) await attempt(target, () => target.cleanUp());
  const taken = await takeIntoFirst(targets, settings, scratch, problems, pruneTarget);
  if ("snapshot" in taken) {
    const { snapshot, from } = taken;
    const { clusterId } = snapshot;
    for (const target of targets) {
      if (target === from || problems.has(target)) continue;
      const copy = () => copyWhole(snapshot, from, target);
      await attempt(target, () => withRoom(target, copy, () => pruneTarget(target, clusterId)));
    }
    for (const target of targets)
      if (!problems.has(target)) await attempt(target, () => pruneTarget(target, clusterId));
  }
  const seconds = (performance.now() - started) / 1000;
  const current = "snapshot" in taken ? [taken.snapshot.clusterId] : [];
  const states: TargetStatus[] = [];
  for (const target of targets) {
    const found = (await attempt(target, () => look(target, current))) ?? { snapshots: 0, damaged: 0, sizeBytes: 0 };
    const problem = problems.get(target);
    const { uri, name } = target;
    states.push({ uri, ...(name !== uri && { name }), ...found, ...(problem !== undefined && { problem }) });
  }
  return { ...("snapshot" in taken ? { snapshot: taken.snapshot } : taken), seconds, targets: states };
}

/** Removes from a target what need not be kept, see {@link prune}. */
type Pruning = (target: JournaledTarget, current: string) => Promise<number>;

type Taken = { readonly snapshot: Manifest; readonly from: JournaledTarget } | { readonly error: string };

/** Takes a snapshot into the first target that can be used, and notes what is wrong with those before it. */
async function takeIntoFirst(
  targets: readonly JournaledTarget[],
  settings: BackupSettings,
  scratch: string,
  problems: Map<JournaledTarget, string>,
  pruneTarget: Pruning,
): Promise<Taken> {
  for (const target of targets) {
    if (problems.has(target)) continue;
    const save = savingInto(target, settings, scratch);
    try {
      const makeRoom = async () => pruneTarget(target, await presentCluster(settings.etcd));
      return { snapshot: await withRoom(target, save, makeRoom), from: target };
    } catch (error) {
      // What is not the target's fault would fail with any other just the same.
      if (!(error instanceof TargetError)) return { error: messageOf(error) };
      problems.set(target, messageOf(error));
    }
  }
  return { error: [...problems.values()].join("; ") };
}

/** Saves a snapshot of the whole etcd, and before it of each of its parts. */
function savingInto(
  target: JournaledTarget,
  { deployment, karmadaVersion, etcd, verify, programs: tools, encryption }: BackupSettings,
  scratch: string,
): () => Promise<Manifest> {
  const common = {
    reason: "scheduled",
    keyPrefix: etcd.prefix,
    karmadaVersion,
    verify,
    key: encryptionKey(encryption),
    tools,
    scratch,
  } as const;
  const source = { endpoints: etcd.endpoints, connection: connectionOf(etcd) };
  return async () => {
    const takenParts: Part[] = [];
    for (const { name, endpoints } of etcd.parts) {
      const part = partDeployment(deployment, name);
      const where = { target: partOf(target, part), deployment: part };
      const { id, sha256 } = await saveSnapshot({ ...common, ...where, source: { ...source, endpoints } });
      takenParts.push({ name, deployment: part, id, sha256 });
    }
    return saveSnapshot({ ...common, source, target, deployment, takenParts });
  };
}

/** Includes its parts, which come first: once its manifest is there, so are they. */
async function copyWhole(snapshot: Manifest, from: JournaledTarget, to: JournaledTarget): Promise<void> {
  for (const { deployment, id } of snapshot.parts ?? []) {
    const source = partOf(from, deployment);
    const found = await source.head(id);
    if (found === undefined || isDamaged(found)) {
      throw new Error(`${from.uri}: ${id} of ${deployment}, which belongs to ${snapshot.id}, cannot be read`);
    }
    await copySnapshot(found.manifest, source, partOf(to, deployment));
  }
  await copySnapshot(snapshot, from, to);
}

function partOf({ uri, parts }: JournaledTarget, deployment: string): JournaledTarget {
  const part = parts.get(deployment);
  if (part === undefined) throw new Error(`${uri}: it was not opened for ${deployment}`);
  return part;
}
