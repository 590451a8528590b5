import { storedContent } from "./contents.ts";
import type { Manifest } from "./manifest.ts";
import { givenAgain, isDamaged, type SnapshotTarget } from "./target.ts";

/**
 * Makes a target hold a copy of a snapshot, byte for byte, encrypted as it is. A damaged copy is replaced.
 * @returns false when it was there already
 */
export async function copySnapshot(manifest: Manifest, from: SnapshotTarget, to: SnapshotTarget): Promise<boolean> {
  const there = await to.head(manifest.id);
  if (there !== undefined) {
    if (!isDamaged(there) && there.manifest.sha256 === manifest.sha256) return false;
    await to.remove(manifest.id);
  }
  await to.prepare(manifest.sizeBytes);
  await givenAgain(() => to.put(manifest.file, storedContent(from, manifest), manifest.sizeBytes));
  await to.commit(manifest);
  return true;
}
