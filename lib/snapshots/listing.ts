import { messageOf } from "../wait.ts";
import { idOfFile, idOfManifest, manifestFile, type Manifest, parseManifest, unfinishedFile } from "./manifest.ts";
import { type Damaged, isDamaged, type Listing, type Stored, TargetError } from "./target.ts";

/** A store of named files: all that a listing has to know about a target. */
export interface Files {
  /** By name. */
  readonly there: ReadonlyMap<string, FileThere>;
  /** The whole text of a file. @throws TargetError when it cannot be read, which says nothing about its content */
  text(file: string): Promise<string>;
}

export interface FileThere {
  readonly bytes: number;
  /** When it was last written, in milliseconds since 1970, by the clock of the target. */
  readonly writtenAt: number;
}

/** Sorts the files of a target into snapshots and damaged ones. Unfinished ones are neither. */
export async function listingOf(files: Files): Promise<Listing> {
  const ids = new Set([...files.there.keys()].flatMap((file) => idOf(file) ?? []));
  const found = await inTurn([...ids], atOnce, (id) => look(id, files));
  return {
    snapshots: found.flatMap((each) => (each === undefined || isDamaged(each) ? [] : each.manifest)),
    damaged: found.flatMap((each) => (each !== undefined && isDamaged(each) ? each : [])),
  };
}

/** One snapshot of a target; undefined when nothing of it is there. */
export async function look(id: string, files: Files): Promise<Stored | Damaged | undefined> {
  if (!files.there.has(manifestFile(id))) {
    const has = [...files.there.keys()].some((file) => idOf(file) === id);
    return has && !files.there.has(unfinishedFile(id)) ? { id, problem: "its manifest is missing" } : undefined;
  }
  let manifest: Manifest;
  try {
    manifest = parseManifest(await files.text(manifestFile(id)));
  } catch (error) {
    // Somebody else has removed it since its name was seen.
    if (error instanceof TargetError && error.fault === "missing") return undefined;
    if (error instanceof TargetError) throw error;
    return { id, problem: messageOf(error) };
  }
  const data = files.there.get(manifest.file);
  if (data === undefined) return { id, problem: "its data are missing" };
  if (data.bytes !== manifest.sizeBytes)
    return { id, problem: `its data have ${data.bytes} bytes, want ${manifest.sizeBytes}` };
  return { manifest };
}

/** IDs of snapshots left unfinished by a dead run: none of their files was written to for an hour. */
export function abandoned({ there }: Files, now = Date.now()): string[] {
  const begun = new Set([...there.keys()].filter((file) => /\.(part|unfinished)$/.test(file)).map(idOfFile));
  for (const [file, { writtenAt }] of there) {
    if (now - writtenAt < abandonedMinutes * 60_000) begun.delete(idOfFile(file));
  }
  return [...begun];
}

/** A snapshot of the largest database that etcd recommends, 8 GB, is taken and verified in less. */
export const abandonedMinutes = 60;

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
