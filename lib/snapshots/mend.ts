import { messageOf } from "../wait.ts";
import { DamagedSnapshot } from "./contents.ts";
import { copySnapshot } from "./copy.ts";
import { encryptionKey } from "./key.ts";
import { dataFile, type Manifest, verifyLevels } from "./manifest.ts";
import { copied, type SnapshotPlan, type Taken, withTargets } from "./take.ts";
import { withScratch } from "./scratch.ts";
import { isDamaged, type SnapshotTarget } from "./target.ts";
import { verifySnapshot } from "./verify.ts";

/** Identifies a snapshot. */
export type Wanted = Pick<Manifest, "id" | "file" | "sha256">;

/** The snapshots of further clusters that belong to one; encrypted as it is. */
export const partsOf = ({ parts = [], encryption }: Manifest) =>
  parts.map((part) => ({ ...part, file: dataFile(part.id, encryption.algorithm !== "none") }));

/**
 * Makes every target hold a given snapshot, copied from wherever it is complete; undefined when it is complete nowhere.
 */
export async function mended(plan: SnapshotPlan, wanted: Wanted): Promise<Taken | undefined> {
  return withTargets(plan, async (main, others) => {
    const all = [main, ...others];
    const states = await Promise.all(all.map((target) => problemIn(target, wanted)));
    const source = all[states.indexOf(undefined)];
    const found = await source?.head(wanted.id);
    if (source === undefined || found === undefined || isDamaged(found)) return undefined;
    const { manifest } = found;
    if (states[0] !== undefined) {
      await main.remove(manifest.id);
      await copySnapshot(manifest, source, main);
    }
    for (const [i, target] of others.entries()) if (states[i + 1] !== undefined) await target.remove(manifest.id);
    const proved = await provedUpTo(plan, main, manifest);
    return { manifest: proved, uri: `${main.uri}/${manifest.file}`, copies: await copied(proved, main, others) };
  });
}

/** What is wrong with a snapshot in a target, as a sentence; undefined when it is as it was stored. Every byte is read. */
export async function problemIn(target: SnapshotTarget, { id, file, sha256 }: Wanted): Promise<string | undefined> {
  const found = await target.head(id);
  if (found === undefined) return `${target.uri}/${file} is lost`;
  if (isDamaged(found)) return `${target.uri}/${file} is damaged: ${found.problem}`;
  const { manifest } = found;
  if (manifest.sha256 !== sha256) return `${target.uri}/${file} is another snapshot than the one that was taken`;
  try {
    await verifySnapshot(target, manifest, "sha", { scratch: "" });
    return undefined;
  } catch (error) {
    if (error instanceof DamagedSnapshot) return messageOf(error);
    throw error;
  }
}

/** Verifies it further if a higher level is asked for than was done. */
async function provedUpTo(plan: SnapshotPlan, main: SnapshotTarget, manifest: Manifest): Promise<Manifest> {
  if (verifyLevels.indexOf(manifest.verified.level) >= verifyLevels.indexOf(plan.verify)) return manifest;
  const tools = await plan.tools();
  const key = encryptionKey(plan.encryption);
  const { manifest: proved } = await withScratch(plan.scratch, (scratch) =>
    verifySnapshot(main, manifest, plan.verify, { key, tools, scratch }),
  );
  await main.commit(proved);
  return proved;
}
