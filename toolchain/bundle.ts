import { link, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pack } from "./archive/pack.ts";
import { unpack } from "./archive/unpack.ts";
import { diskProblem } from "./disk-error.ts";
import { cannotWrite, withRemedy } from "./failure.ts";
import { makeTemporary, removeTemporary, type Artifact, type ArtifactRecord } from "./store/store.ts";
import { sha256 } from "./sha256.ts";
import { fileSha256 } from "./store/content.ts";
import { Remediable } from "./sources/source.ts";
import { changed, readManifest, type Manifest } from "./sources/mirror.ts";

/**
 * Packs artifacts of the store into one file that `openBundle` reads on a machine without network, with the layout sources/mirror.ts describes.
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
    return await pack(temporary, names, file, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof Remediable) throw error;
    throw withRemedy(new Error(`${file}: making the bundle: ${(error as Error).message}`, { cause: error }), store);
  } finally {
    await removeTemporary(temporary);
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
    return await readManifest({ location: into, shown: file });
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
    for (const { path, sha256: wanted } of files) {
      const found = await fileSha256(join(directory, "content", content, path));
      if (found !== wanted) throw changed(`${path} in ${shown}`, found, wanted);
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
  const sum = sha256(manifest);
  await writeFile(join(directory, "manifest.json"), manifest);
  await writeFile(join(directory, "manifest.sha256"), `${sum}  manifest.json\n`);
  const files = new Set(records.flatMap(({ content, files }) => files.map(({ path }) => `content/${content}/${path}`)));
  for (const name of files) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await link(join(store, name), join(directory, name));
  }
  return ["manifest.sha256", "manifest.json", ...files];
}
