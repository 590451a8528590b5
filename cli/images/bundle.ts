import { link, mkdir, readdir, rename, rm, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pack } from "../../toolchain/archive/pack.ts";
import { unpack } from "../../toolchain/archive/unpack.ts";
import { limit } from "../../toolchain/limit.ts";
import { Remediable } from "../../toolchain/sources/source.ts";
import { makeTemporary, removeTemporary } from "../../toolchain/store/store.ts";
import type { Crane } from "./crane.ts";
import {
  blobs,
  damagedBlob,
  type Manifest,
  named,
  type NamedManifest,
  nameOf,
  readLayout,
  writeLayout,
} from "./layout.ts";

export interface BundleOptions {
  readonly crane: Crane;
  readonly signal: AbortSignal;
  /** `linux/amd64`, `linux/arm64` or another platform of the images. */
  readonly platform: string;
  /** Is told of each image once it is pulled. */
  readonly onPulled: (image: string) => void;
}

/**
 * Pulls images and packs them into one tar archive, an OCI image layout. Of a multi-platform image it contains the
 * wanted platform; one pinned by digest is kept whole, since otherwise the digest would change. What was pulled lies in
 * `<file>.partial` until everything is packed, so that an interrupted run continues where it was.
 *
 * @returns the archive's SHA-256
 * @throws naming every image that could not be pulled, and why
 */
export async function bundleImages(images: readonly string[], file: string, options: BundleOptions): Promise<string> {
  const place = `${resolve(file)}.partial`;
  await mkdir(place, { recursive: true });
  const atMost = limit(3);
  const pulled = await Promise.allSettled(images.map((image) => atMost(() => pull(image, place, options))));
  options.signal.throwIfAborted();
  const failures = pulled.flatMap((each, i) =>
    each.status === "rejected" ? [`  ${images[i]}: ${(each.reason as Error).message}`] : [],
  );
  if (failures.length > 0)
    throw new Error(
      `${failures.length} of ${images.length} images could not be pulled; the same command goes on with them\n${failures.join("\n")}`,
    );
  const whole = join(place, "whole");
  await merge(images, place, whole, options.platform);
  const contents = (await readdir(join(whole, blobs))).toSorted().map((name) => join(blobs, name));
  const sha256 = await pack(whole, ["oci-layout", "index.json", ...contents], file, options.signal).catch(inOneLine);
  await rm(place, { recursive: true });
  return sha256;
}

/** Pulls an image into its own layout, atomically. */
async function pull(image: string, place: string, { crane, platform, onPulled, signal }: BundleOptions): Promise<void> {
  signal.throwIfAborted();
  const own = join(place, directoryOf(image, platform));
  if (!(await readLayout(own).catch(() => undefined))) {
    const begun = `${own}.begun`;
    await rm(begun, { recursive: true, force: true });
    const which = image.includes("@sha256:") ? [] : ["--platform", platform];
    await crane(["pull", "--format", "oci", ...which, image, begun]);
    await rename(begun, own);
  }
  onPulled(image);
}

/** What an interrupted run pulled for another platform is not used for this one. */
const directoryOf = (image: string, platform: string): string => encodeURIComponent(`${platform} ${image}`);

/** Merges all into one layout, whose blobs are links to theirs. */
async function merge(images: readonly string[], place: string, whole: string, platform: string): Promise<void> {
  await rm(whole, { recursive: true, force: true });
  await mkdir(join(whole, blobs), { recursive: true });
  const manifests: NamedManifest[] = [];
  for (const image of images) {
    const own = join(place, directoryOf(image, platform));
    const [manifest] = await readLayout<Manifest>(own);
    manifests.push(named(manifest!, image));
    const have = new Set(await readdir(join(whole, blobs)));
    for (const name of await readdir(join(own, blobs)))
      if (!have.has(name)) await link(join(own, blobs, name), join(whole, blobs, name));
  }
  await writeLayout(whole, manifests);
  await proveWhole(whole, `${dirname(whole)}: what was pulled`, "delete it");
}

/** Unpacks an archive for `use` and removes it again. @throws when it is not one of ours, or damaged */
export async function openImages<T>(
  file: string,
  store: string,
  use: (directory: string, manifests: readonly NamedManifest[]) => Promise<T>,
): Promise<T> {
  const directory = await makeTemporary(store);
  try {
    try {
      await unpack(file, directory);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") throw new Error(`${file}: there is no such file`, { cause: error });
      throw new Error(`${file}: cannot be unpacked, copy it again or free disk space (${message})`, { cause: error });
    }
    const manifests = await readLayout(directory).catch((cause: unknown) => {
      throw new Error(`${file}: it holds no images; npm run images -- --bundle makes such a file`, { cause });
    });
    await proveWhole(directory, file, "copy it again");
    return await use(directory, manifests);
  } finally {
    await removeTemporary(directory);
  }
}

async function proveWhole(directory: string, subject: string, remedy: string): Promise<void> {
  const damaged = await damagedBlob(directory);
  if (damaged !== undefined) throw new Error(`${subject} is damaged, ${remedy}: sha256:${damaged} is something else`);
}

/**
 * Puts every image of an unpacked archive into a registry, under the last part of its name.
 *
 * @param to registry, or registry and path
 * @param onPushed is told each name there, once it can be pulled
 * @throws before anything is pushed when two would have the same name
 */
export async function pushImages(
  directory: string,
  manifests: readonly NamedManifest[],
  to: string,
  { crane, onPushed }: { readonly crane: Crane; readonly onPushed: (image: string) => void },
): Promise<void> {
  const targets = new Map<string, NamedManifest>();
  for (const manifest of manifests) {
    const target = `${to}/${nameOf(manifest).replace(/^.*\//, "")}`;
    const other = targets.get(target);
    if (other !== undefined)
      throw new Error(`${nameOf(other)} and ${nameOf(manifest)} would both be ${target}; push them one by one`);
    targets.set(target, manifest);
  }
  for (const [target, manifest] of targets) {
    const alone = join(directory, "alone", encodeURIComponent(target));
    await writeLayout(alone, [manifest]);
    await symlink(join(directory, "blobs"), join(alone, "blobs"));
    await crane(["push", alone, target]).catch((error: Error) => {
      throw new Error(`${target}: it could not be pushed: ${error.message}`, { cause: error });
    });
    onPushed(target);
  }
}

/** The message says what to do about it. */
function inOneLine(error: unknown): never {
  if (error instanceof Remediable) throw new Error(`${error.message}; ${error.remedy}`, { cause: error });
  throw error;
}
