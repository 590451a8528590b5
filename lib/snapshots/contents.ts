import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../wait.ts";
import { freeingBuffers } from "./dead-buffers.ts";
import { type Digest, digested } from "../digested.ts";
import { checkedSnapshot } from "./digest.ts";
import { writeDurably } from "./durable-file.ts";
import { decrypted } from "./encrypt.ts";
import { type EncryptionKey, keyFor } from "./key.ts";
import type { Manifest } from "./manifest.ts";
import { type SnapshotTarget, TargetError } from "./target.ts";

/** The data of a snapshot exist but do not match its manifest. */
export class DamagedSnapshot extends Error {}

/**
 * A snapshot's data as they are stored.
 * @throws DamagedSnapshot at their end, when they do not match the manifest
 */
export async function* storedContent(target: SnapshotTarget, manifest: Manifest): AsyncGenerator<Buffer, void> {
  const stored = digested(await dataOf(target, manifest));
  yield* stored.content;
  compare(target, manifest, stored.digest());
}

/**
 * etcd's own snapshot file, decrypted when it was encrypted, with its digest recomputed.
 * @throws DamagedSnapshot, at the latest at the end: nothing may be done with the bytes before that
 */
export async function* plainContent(
  target: SnapshotTarget,
  manifest: Manifest,
  key: EncryptionKey | undefined,
): AsyncGenerator<Buffer, void> {
  const plain = checkedSnapshot(await undone(target, manifest, key));
  try {
    yield* plain.content;
  } catch (error) {
    if (error instanceof TargetError || error instanceof DamagedSnapshot) throw error;
    throw new DamagedSnapshot(`${target.uri}/${manifest.file}: ${messageOf(error)}`, { cause: error });
  }
  const { databaseSha256, ...digest } = plain.digest();
  if (databaseSha256 !== manifest.database.sha256) throw another(target, manifest);
  if (manifest.encryption.algorithm === "none") compare(target, manifest, digest);
}

/** Writes etcd's own snapshot file, for programs that read files: all of it, or nothing. */
export async function fetchSnapshot(
  target: SnapshotTarget,
  manifest: Manifest,
  options: { readonly to: string; readonly key?: EncryptionKey | undefined },
): Promise<void> {
  const part = `${options.to}.part`;
  try {
    await writeDurably(part, "w", plainContent(target, manifest, options.key));
    await rename(part, options.to);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/**
 * Lends etcd's own snapshot file, verified to be complete: in place if the target is in the file system and the data
 * are not encrypted, else a copy in `scratch` that is removed afterwards.
 */
export async function withPlainFile<T>(
  target: SnapshotTarget,
  manifest: Manifest,
  options: { readonly scratch: string; readonly key?: EncryptionKey | undefined },
  use: (path: string) => Promise<T>,
): Promise<T> {
  const inPlace = manifest.encryption.algorithm === "none" ? target.path(manifest.file) : undefined;
  if (inPlace !== undefined) {
    await toTheEnd(plainContent(target, manifest, undefined));
    return use(inPlace);
  }
  const to = join(options.scratch, `${manifest.id}-${process.pid}.db`);
  try {
    await fetchSnapshot(target, manifest, { to, key: options.key });
    return await use(to);
  } finally {
    await rm(to, { force: true });
  }
}

/** Reads content for its digest only. */
export async function toTheEnd(content: AsyncGenerator<Buffer, void>): Promise<void> {
  while ((await content.next()).done !== true);
}

async function undone(target: SnapshotTarget, manifest: Manifest, key: EncryptionKey | undefined) {
  const { encryption } = manifest;
  if (encryption.algorithm === "none") return dataOf(target, manifest);
  const { bytes } = keyFor(`${target.uri}/${manifest.file}`, encryption.keyId, key);
  return decrypted(storedContent(target, manifest), bytes);
}

const dataOf = async (target: SnapshotTarget, { file }: Manifest) =>
  freeingBuffers(unbroken(`${target.uri}: reading ${file}`, (await target.get(file)) as AsyncIterable<Buffer>));

/** An interrupted read says nothing about what is stored. */
async function* unbroken(doing: string, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  try {
    yield* content;
  } catch (error) {
    if (error instanceof TargetError) throw error;
    throw new TargetError("unreachable", `${doing}: it broke off: ${messageOf(error)}`, { cause: error });
  }
}

function compare(target: SnapshotTarget, manifest: Manifest, { sha256, sizeBytes }: Digest): void {
  if (sha256 === manifest.sha256 && sizeBytes === manifest.sizeBytes) return;
  const found = sizeBytes === manifest.sizeBytes ? `SHA-256 ${sha256.slice(0, 12)}` : `${sizeBytes} bytes`;
  const want = sizeBytes === manifest.sizeBytes ? manifest.sha256.slice(0, 12) : manifest.sizeBytes;
  throw new DamagedSnapshot(`${target.uri}/${manifest.file}: it is damaged: ${found}, want ${want}`);
}

const another = (target: SnapshotTarget, manifest: Manifest) =>
  new DamagedSnapshot(`${target.uri}/${manifest.file}: it is whole, but not the snapshot its manifest describes`);
