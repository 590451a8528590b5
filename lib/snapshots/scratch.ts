import { mkdir, mkdtemp, readdir, rm, stat, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mebibytes } from "../size.ts";
import { abandonedMinutes } from "./listing.ts";

/** Makes a scratch directory and checks that that many bytes fit into it. */
export async function roomFor(scratch: string, bytes: number): Promise<void> {
  await make(scratch);
  const { bavail, bsize } = await statfs(scratch);
  const free = bavail * bsize;
  if (free >= bytes) return;
  throw new Error(
    `${scratch}: ${mebibytes(free, Math.floor)} are free, checking the snapshot needs ${mebibytes(bytes)}\nset snapshots.scratch to a directory with room, or verify: sha`,
  );
}

/** Lends an empty directory for this user only, and removes it with everything in it. Its parent stays. */
export async function withScratch<T>(base = tmpdir(), use: (scratch: string) => Promise<T>): Promise<T> {
  await make(base);
  await removeAbandoned(base);
  const scratch = await mkdtemp(join(base, scratchPrefix));
  try {
    return await use(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const make = (directory: string) => mkdir(directory, { recursive: true, mode: 0o700 });

const scratchPrefix = "karmada-snapshot-";

/** Removes what killed runs left there. Others may have theirs beside it: what cannot be removed is not ours. */
async function removeAbandoned(base: string): Promise<void> {
  for (const name of await readdir(base)) {
    const path = join(base, name);
    const isOld = async () => Date.now() - (await writtenAt(path)) > abandonedMinutes * 60_000;
    if (name.startsWith(scratchPrefix) && (await isOld().catch(() => false)))
      await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

/** When anything in it was last written: a copy may take longer than the time after which a run counts as killed. */
async function writtenAt(directory: string): Promise<number> {
  const names = await readdir(directory, { recursive: true });
  const times = await Promise.all(["", ...names].map(async (name) => (await stat(join(directory, name))).mtimeMs));
  return Math.max(...times);
}
