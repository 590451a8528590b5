import { createWriteStream } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import * as tar from "tar";
import { diskProblem } from "../disk-error.ts";
import { Remediable } from "../sources/source.ts";
import { fileSha256, sync } from "../store/content.ts";
import { isRunning } from "../store/lock.ts";

/**
 * Packs files of a directory into a tar archive, compressed when its name ends in `gz` or `.zst`. It is there whole or not at
 * all; what a killed run left beside it is removed.
 *
 * @param names in the order they are packed; all that is in a directory goes with it
 * @param mode permissions of the archive. @default those that the umask leaves
 * @returns the archive's SHA-256
 * @throws Remediable when the disk refuses
 */
export async function pack(
  directory: string,
  names: readonly string[],
  file: string,
  signal: AbortSignal | undefined,
  mode = 0o666,
): Promise<string> {
  await removeUnfinished(file);
  const next = `${file}.${unfinishedBy(process.pid)}`;
  try {
    const archive = tar.c(
      {
        cwd: directory,
        portable: true,
        // Times would be those of the making: the same artifacts make the same bytes.
        noMtime: true,
        // So would permissions, by the umask; and what is unpacked may be served by another user, as a mirror.
        onWriteEntry: ({ stat }) => void (stat!.mode |= stat!.mode & 0o100 ? 0o755 : 0o644),
        ...(file.endsWith("gz") ? { gzip: { level: 6 } } : {}),
        ...(file.endsWith(".zst") ? { zstd: true } : {}),
      },
      [...names],
    );
    // The archive's own writer takes a last write that the disk took in part for a whole one.
    await pipeline(archive, createWriteStream(next, { mode }), signal === undefined ? {} : { signal });
    const sha256 = await fileSha256(next);
    await sync(next);
    await rename(next, file);
    return sha256;
  } catch (error) {
    const remedies = { full: `free disk space in ${dirname(resolve(file))}`, locked: "make it writable" };
    const problem = diskProblem(error);
    if (problem === undefined) throw error;
    const { message } = error as Error;
    throw new Remediable(`${file}: making the bundle: ${message}`, `${remedies[problem]}, or name another file`, {
      cause: error,
    });
  } finally {
    await rm(next, { force: true });
  }
}

/** A file that is being written, by whom. */
const unfinishedBy = (pid: number | string) => `${hostname()}~${pid}.tmp`;

/** What runs of this machine that ended before they were done left of a bundle. */
async function removeUnfinished(file: string): Promise<void> {
  const directory = dirname(resolve(file));
  for (const name of await readdir(directory)) {
    const [, pid] = name.startsWith(`${basename(file)}.`) ? (/~(\d+)\.tmp$/.exec(name) ?? []) : [];
    if (pid === undefined || name !== `${basename(file)}.${unfinishedBy(pid)}` || isRunning(Number(pid))) continue;
    await rm(join(directory, name), { force: true });
  }
}
