import type { EncryptionSettings } from "../../spec/snapshots/encryption.ts";
import { messageOf } from "../wait.ts";
import { copySnapshot } from "./copy.ts";
import { encryptionKey } from "./key.ts";
import { type Manifest, type Part, partDeployment, type Reason, type VerifyLevel } from "./manifest.ts";
import { openTarget } from "./open-target.ts";
import { saveSnapshot } from "./save.ts";
import { withScratch } from "./scratch.ts";
import type { SnapshotSource } from "./source.ts";
import type { TargetSettings } from "./target-settings.ts";
import type { SnapshotTarget } from "./target.ts";
import type { EtcdTools } from "./tools.ts";

/** Everything needed to take snapshots of a deployment. */
export interface SnapshotPlan {
  readonly deployment: string;
  readonly source: SnapshotSource;
  /** Further clusters of the deployment, by name; they are reached like the source. @default none */
  readonly parts?: readonly ClusterPart[] | undefined;
  /** The first is the main one, the others hold copies. */
  readonly targets: readonly TargetSettings[];
  readonly encryption: EncryptionSettings;
  readonly verify: VerifyLevel;
  /** @default the system's directory for temporary files */
  readonly scratch?: string | undefined;
  readonly keyPrefix: string;
  readonly karmadaVersion?: string | undefined;
  /** Directories no target may be in. */
  readonly apartFrom?: readonly string[] | undefined;
  /** Obtains etcd's programs when they are needed. */
  tools(): Promise<EtcdTools>;
}

/** A cluster that holds some kinds of a deployment's objects. */
export interface ClusterPart {
  readonly name: string;
  readonly endpoints: readonly string[];
}

/** A snapshot, and where it is. */
export interface Taken {
  readonly manifest: Manifest;
  /** URI of the data in the main target. */
  readonly uri: string;
  readonly copies: readonly Copy[];
}

export interface Copy {
  /** URI of the target. */
  readonly uri: string;
  /** Why there is no copy. */
  readonly problem?: string;
}

/**
 * Takes a snapshot into the main target and copies it into the others, those of further clusters first: its manifest
 * ties them to it, and without it they belong to nothing. A failed copy does not undo the snapshot: it is reported in
 * `copies`.
 */
export async function takeSnapshot(plan: SnapshotPlan, reason: Reason): Promise<Taken> {
  const { parts: clusters = [], ...alone } = plan;
  const taken: Taken[] = [];
  try {
    for (const part of clusters) taken.push(await takeAlone(planOfPart(alone, part), reason, []));
    const parts = taken.map(({ manifest: { deployment, id, sha256 } }, i) => {
      return { name: clusters[i]?.name ?? "", deployment, id, sha256 };
    });
    const whole = await takeAlone(alone, reason, parts);
    return { ...whole, copies: [...whole.copies, ...taken.flatMap(({ copies }) => copies)] };
  } catch (error) {
    for (const { manifest } of taken)
      await removeEverywhere({ ...alone, deployment: manifest.deployment }, manifest.id);
    throw error;
  }
}

function planOfPart(plan: SnapshotPlan, { name, endpoints }: ClusterPart): SnapshotPlan {
  const { connection } = plan.source;
  return { ...plan, deployment: partDeployment(plan.deployment, name), source: { endpoints, connection } };
}

/** Removes what can be removed of it; the rest means nothing without the manifest it was to belong to. */
async function removeEverywhere(plan: SnapshotPlan, id: string): Promise<void> {
  await withTargets(plan, async (main, others) => {
    for (const target of [main, ...others]) await target.remove(id).catch(() => {});
  });
}

function takeAlone(plan: SnapshotPlan, reason: Reason, takenParts: readonly Part[]): Promise<Taken> {
  return withTargets(plan, async (main, others) => {
    const key = encryptionKey(plan.encryption);
    const tools = plan.verify === "sha" ? undefined : await plan.tools();
    const manifest = await withScratch(plan.scratch, (scratch) =>
      saveSnapshot({ ...plan, target: main, reason, takenParts, key, tools, scratch }),
    );
    return { manifest, uri: `${main.uri}/${manifest.file}`, copies: await copied(manifest, main, others) };
  });
}

/** Makes every other target hold a copy, one after another. */
export async function copied(
  manifest: Manifest,
  from: SnapshotTarget,
  others: readonly SnapshotTarget[],
): Promise<Copy[]> {
  const copies: Copy[] = [];
  for (const other of others) {
    try {
      await copySnapshot(manifest, from, other);
      copies.push({ uri: other.uri });
    } catch (error) {
      copies.push({ uri: other.uri, problem: messageOf(error) });
    }
  }
  return copies;
}

/** Opens the targets of a plan and closes them again. @throws when it has none */
export async function withTargets<T>(
  { targets, deployment, apartFrom = [] }: Pick<SnapshotPlan, "targets" | "deployment" | "apartFrom">,
  use: (main: SnapshotTarget, others: readonly SnapshotTarget[]) => Promise<T>,
): Promise<T> {
  const opened: SnapshotTarget[] = [];
  try {
    for (const settings of targets) opened.push(await openTarget(settings, { deployment, apartFrom }));
    const [main, ...others] = opened;
    if (main === undefined) throw new Error(`${deployment}: there is no target to keep snapshots in`);
    return await use(main, others);
  } finally {
    for (const target of opened) target.close();
  }
}
