import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { link, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import * as tar from "tar";
import { unpack } from "./archive/unpack.ts";
import { diskProblem } from "./disk-error.ts";
import { cannotWrite, withRemedy } from "./failure.ts";
import { makeTemporary, removeTemporary, type Artifact, type ArtifactRecord } from "./store/store.ts";
import { fileSha256, sync } from "./store/content.ts";
import { isRunning } from "./store/lock.ts";
import { Remediable } from "./sources/source.ts";
import { changed, readManifest, type Manifest } from "./sources/mirror.ts";

/**
 * Packs artifacts of the store into one file that `openBundle` reads on a machine without network: a tar archive,
 * compressed when the name ends in `.gz` or `.zst`, with the layout sources/mirror.ts describes. The file is there whole
 * or not at all; what a killed run left beside it is removed.
 * @returns the file's SHA-256
 */
export async function makeBundle(
  store: string,
  artifacts: readonly Artifact[],
  file: string,
  signal?: AbortSignal,
): Promise<string> {
  const temporary = await temporaryIn(store);
  try {
    const names = await layOut(store, artifacts, temporary);
    return await writeBundle(temporary, names, file, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof Remediable) throw error;
    throw withRemedy(new Error(`${file}: making the bundle: ${(error as Error).message}`, { cause: error }), store);
  } finally {
    await removeTemporary(temporary);
  }
}

async function writeBundle(
  directory: string,
  names: readonly string[],
  file: string,
  signal: AbortSignal | undefined,
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
        ...(file.endsWith("gz") ? { gzip: { level: 6 } } : {}),
        ...(file.endsWith(".zst") ? { zstd: true } : {}),
      },
      [...names],
    );
    // The archive's own writer takes a last write that the disk took in part for a whole one.
    await pipeline(archive, createWriteStream(next), signal === undefined ? {} : { signal });
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

/**
 * Unpacks a bundle for `use`, which is given its directory and manifest, and removes it again.
 * @throws when the file is not a bundle or is damaged, or the store's disk refuses
 */
export async function openBundle<T>(
  store: string,
  file: string,
  use: (directory: string, manifest: Manifest) => Promise<T>,
): Promise<T> {
  const temporary = await temporaryIn(store);
  try {
    return await use(temporary, await readBundle(file, temporary, store));
  } finally {
    await removeTemporary(temporary);
  }
}

async function readBundle(file: string, into: string, store: string): Promise<Manifest> {
  let last = "";
  try {
    await unpack(file, into, { onReadEntry: (entry) => void (last = entry.path) });
    return await readManifest(into, file);
  } catch (error) {
    const { code = "", tarCode = code, message } = error as NodeJS.ErrnoException & { tarCode?: string };
    if (diskProblem(error, store) !== undefined) {
      throw withRemedy(new Error(`${file}: unpacking: ${message}`, { cause: error }), store);
    }
    const problem = problemOf(tarCode, last);
    throw problem === undefined ? error : new Error(`${file}: ${problem} (${message})`, { cause: error });
  }
}

/** @param last the entry that was read last, if any */
function problemOf(code: string, last: string): string | undefined {
  if (code === "EISDIR") return "a directory; an unpacked bundle can serve as a mirror, KARMADA_TOOLCHAIN_MIRROR";
  if (code === "ENOENT") return "not a bundle of this toolchain, or not there";
  if (!/^(TAR_|Z_|ZSTD_|ERR_ZSTD)/.test(code)) return undefined;
  return last === "" ? "not a bundle, or damaged; copy it again" : `damaged at or after ${last}; copy it again`;
}

/**
 * Compares every file of an unpacked bundle with its manifest.
 * @param shown how messages name the bundle
 * @throws at the first that differs
 */
export async function checkBundle(directory: string, manifest: Manifest, shown: string): Promise<void> {
  for (const { content, files } of manifest.artifacts) {
    for (const { path, sha256 } of files) {
      const found = await fileSha256(join(directory, "content", content, path));
      if (found !== sha256) throw changed(`${path} in ${shown}`, found, sha256);
    }
  }
}

const temporaryIn = (store: string): Promise<string> =>
  makeTemporary(store).catch((error: Error) => {
    throw cannotWrite(store, error);
  });

/** Hard links to the store's files, and the manifest. @returns every name, in the order they are packed */
async function layOut(store: string, artifacts: readonly Artifact[], directory: string): Promise<string[]> {
  const records = artifacts.map(({ path: _path, sha256: _sha256, ...record }): ArtifactRecord => record);
  const manifest = JSON.stringify({ format: 1, artifacts: records } satisfies Manifest, undefined, 1) + "\n";
  const sum = createHash("sha256").update(manifest).digest("hex");
  await writeFile(join(directory, "manifest.json"), manifest);
  await writeFile(join(directory, "manifest.sha256"), `${sum}  manifest.json\n`);
  const files = new Set(records.flatMap(({ content, files }) => files.map(({ path }) => `content/${content}/${path}`)));
  for (const name of files) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await link(join(store, name), join(directory, name));
  }
  return ["manifest.sha256", "manifest.json", ...files];
}
