import { messageOf } from "../wait.ts";
import { idOfManifest, manifestFile, type Manifest, parseManifest } from "./manifest.ts";
import { type Damaged, isDamaged, type Listing, type Stored, TargetError } from "./target.ts";

/** A store of named files, which is all that a listing has to know of a target. */
export interface Files {
  /** Size by name. */
  readonly sizes: ReadonlyMap<string, number>;
  /** The whole text of a file. */
  text(file: string): Promise<string>;
}

/** Sorts the files of a target into snapshots and what is not whole. Data being written have another name until they are complete. */
export async function listingOf(files: Files): Promise<Listing> {
  const ids = new Set([...files.sizes.keys()].flatMap((file) => idOf(file) ?? []));
  const found = await inTurn([...ids], atOnce, (id) => look(id, files));
  return {
    snapshots: found.flatMap((each) => (each === undefined || isDamaged(each) ? [] : each.manifest)),
    damaged: found.flatMap((each) => (each !== undefined && isDamaged(each) ? each : [])),
  };
}

/** One snapshot of a target; undefined when there is nothing of it. */
export async function look(id: string, files: Files): Promise<Stored | Damaged | undefined> {
  if (!files.sizes.has(manifestFile(id))) {
    const has = [...files.sizes.keys()].some((file) => idOf(file) === id);
    return has ? { id, problem: "its manifest is missing" } : undefined;
  }
  let manifest: Manifest;
  try {
    manifest = parseManifest(await files.text(manifestFile(id)));
  } catch (error) {
    if (error instanceof TargetError) throw error;
    return { id, problem: messageOf(error) };
  }
  const size = files.sizes.get(manifest.file);
  if (size === undefined) return { id, problem: "its data are missing" };
  if (size !== manifest.sizeBytes) return { id, problem: `its data have ${size} bytes, want ${manifest.sizeBytes}` };
  return { manifest };
}

/** Manifests read at once. */
const atOnce = 8;

/** The id of the snapshot a file belongs to; undefined for files of others. */
function idOf(file: string): string | undefined {
  return idOfManifest(file.replace(/\.db(\.aes)?$/, ".json"));
}

async function inTurn<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let i = 0; i < items.length; i += atOnce) {
    results.push(...(await Promise.all(items.slice(i, i + atOnce).map(work))));
  }
  return results;
}
