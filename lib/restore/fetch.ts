import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { EtcdConnection } from "../etcd/client.ts";
import type { EtcdRuntime } from "../etcd/runtime/runtime.ts";
import { snapshotStream } from "../etcd/snapshot-stream.ts";
import { fetchSnapshot, plainContent } from "../snapshots/contents.ts";
import { checkedSnapshot } from "../snapshots/digest.ts";
import { encryptionKey } from "../snapshots/key.ts";
import { openTarget } from "../snapshots/open-target.ts";
import { snapshotStatus } from "../snapshots/tools.ts";
import type { FetchedSnapshot } from "./cluster.ts";
import { digestOf, endOf, proveFile, readThrough } from "../etcd/runtime/snapshot-file.ts";
import type { PinnedSource, RestoreSource } from "./source.ts";
import type { RestoreTarget } from "./target.ts";

export interface FetchMeans {
  readonly runtime: EtcdRuntime;
  readonly connection: EtcdConnection;
  /** Path of etcdutl on this machine. */
  readonly etcdutl: string;
  /** For files copied here; whatever is in it is removed. */
  readonly directory: string;
}

/**
 * Brings what was pinned to this machine, and verifies every byte: against the pinned digest, and against the one at
 * the end of an etcd snapshot. A local file is used where it is: that it ends with the pinned digest is checked at
 * once, and that this digest matches its bytes is checked by etcdutl, for every copy it makes.
 */
export async function fetchSource(
  source: RestoreSource,
  pinned: PinnedSource,
  target: RestoreTarget,
  means: FetchMeans,
): Promise<FetchedSnapshot> {
  await rm(means.directory, { recursive: true, force: true });
  await mkdir(dirname(means.directory), { recursive: true, mode: 0o700 });
  // Not one that somebody else has made meanwhile, who could read its files.
  await mkdir(means.directory, { mode: 0o700 });
  const brought = await bring(source, pinned, target, means);
  brought.proved.catch(() => undefined); // reported to whoever awaits it
  const known = pinned.manifest?.revision ?? pinned.revision;
  return { ...brought, revision: BigInt(known ?? (await revisionOf(brought, means.etcdutl))) };
}

type Brought = Omit<FetchedSnapshot, "revision">;

/** @throws what is wrong with the bytes, rather than what follows from it */
async function revisionOf({ file, proved, examine }: Brought, etcdutl: string): Promise<string> {
  try {
    return (await snapshotStatus({ etcdutl, etcd: "" }, file)).revision;
  } catch (error) {
    await proved;
    await examine();
    throw error;
  }
}

async function bring(
  source: RestoreSource,
  pinned: PinnedSource,
  target: RestoreTarget,
  means: FetchMeans,
): Promise<Brought> {
  switch (source.kind) {
    case "snapshot":
      return fromTarget(source, pinned, means);
    case "file": {
      const { path } = source;
      const { sha256, database } = pinned;
      if (sha256 === undefined) throw new Error(`${path}: what its digest was in the preview is not known any more`);
      const examine = () => proveUnchanged(path, sha256);
      return { file: path, bare: false, sha256, proved: provedByItsEnd(path, database, examine), examine };
    }
    case "member":
      return fromMember(source.member, target, means);
  }
}

/** Checks its size and its last bytes, and all of it only if they differ, or are not known. */
async function provedByItsEnd(
  path: string,
  pinned: PinnedSource["database"],
  examine: () => Promise<void>,
): Promise<void> {
  const { sizeBytes, sha256 } = await endOf(path);
  if (sizeBytes !== pinned?.sizeBytes || sha256 !== pinned.sha256) await examine();
}

async function proveUnchanged(path: string, pinned: string): Promise<void> {
  const { sha256 } = await proveFile(path);
  if (sha256 === pinned) return;
  throw new Error(`${path}: it was changed since the preview: its SHA-256 is ${sha256}, was ${pinned}`);
}

async function fromTarget(
  source: Extract<RestoreSource, { kind: "snapshot" }>,
  { manifest, uri }: PinnedSource,
  { directory }: FetchMeans,
): Promise<Brought> {
  if (manifest === undefined) throw new Error(`${uri}: what its manifest said is not known any more`);
  const deployment = source.part === undefined ? source.deployment : manifest.deployment;
  const target = await openTarget(source.target, { deployment });
  const { sha256, file, encryption } = manifest;
  const inPlace = encryption.algorithm === "none" ? target.path(file) : undefined;
  if (inPlace !== undefined) {
    target.close();
    const examine = () => readThrough(plainContent(target, manifest, undefined));
    return { file: inPlace, bare: false, sha256, proved: provedByItsEnd(inPlace, manifest.database, examine), examine };
  }
  try {
    const to = join(directory, "snapshot.db");
    await fetchSnapshot(target, manifest, { to, key: encryptionKey(source.encryption) });
    return { file: to, bare: false, sha256, ...provedAlready };
  } finally {
    target.close();
  }
}

/** From the member itself while it answers, which it does without a quorum too; else from its files. */
async function fromMember(name: string, target: RestoreTarget, means: FetchMeans): Promise<Brought> {
  const { runtime, connection, directory } = means;
  const file = join(directory, `${name}.db`);
  const member = target.answering.find((each) => each.name === name);
  if (member === undefined) {
    await runtime.files(name).copyDatabase(file);
    return { file, bare: true, sha256: await digestOf(file), ...provedAlready };
  }
  const stream = await snapshotStream(member.clientUrl, connection, { seconds: longestSeconds });
  const checked = checkedSnapshot(stream.content);
  await writeFile(file, checked.content, { mode: 0o600 }).finally(() => stream.end());
  return { file, bare: false, sha256: checked.digest().sha256, ...provedAlready };
}

const provedAlready = { proved: Promise.resolve(), examine: () => Promise.resolve() };

const longestSeconds = 3600;
