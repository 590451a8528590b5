import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Digest, digested } from "../digested.ts";
import { explainRights, isRefusal } from "../etcd/rights.ts";
import { snapshotStream } from "../etcd/snapshot-stream.ts";
import { failPoint } from "../fail-point.ts";
import { messageOf } from "../wait.ts";
import { freeingBuffers } from "./dead-buffers.ts";
import { checkedSnapshot } from "./digest.ts";
import { encrypted, encryptedBytes } from "./encrypt.ts";
import type { EncryptionKey } from "./key.ts";
import { dataFile, type Manifest, type Part, type Reason, type VerifyLevel } from "./manifest.ts";
import { roomFor } from "./scratch.ts";
import { rightToSnapshots, type SnapshotSource, type SourceMember, sourceMembers } from "./source.ts";
import { givenAgain, type SnapshotTarget } from "./target.ts";
import { teed } from "./tee.ts";
import type { EtcdTools, SnapshotStatus } from "./tools.ts";
import { proveFile, secondsFor } from "./verify.ts";

export interface SaveOptions {
  readonly source: SnapshotSource;
  readonly target: SnapshotTarget;
  readonly deployment: string;
  readonly reason: Reason;
  /** Where the Karmada keeps its keys. */
  readonly keyPrefix: string;
  readonly karmadaVersion?: string | undefined;
  /** The parts that belong to it. */
  readonly takenParts?: readonly Part[] | undefined;
  /** How far it is verified before it counts as a snapshot. */
  readonly verify: VerifyLevel;
  /** Encrypts it. */
  readonly key?: EncryptionKey | undefined;
  /** Needed when `verify` is more than `sha`. */
  readonly tools?: EtcdTools | undefined;
  /** Place for a temporary copy if the target's own file cannot be examined: on S3, or encrypted. */
  readonly scratch: string;
  /** @default 30 */
  readonly stallSeconds?: number;
}

/**
 * Takes a snapshot: from a follower if possible, streamed into the target while its SHA-256 is recomputed, verified,
 * and only then given its manifest. If a member fails, another one is tried, three times in all; any failure leaves
 * nothing new in the target, and nothing old is touched.
 */
export async function saveSnapshot(options: SaveOptions): Promise<Manifest> {
  const members = await sourceMembers(options.source, { emergency: options.reason === "emergency" });
  const failures: string[] = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    try {
      return await givenAgain(() => saveFrom(members[attempt % members.length]!, options));
    } catch (error) {
      if (!(error instanceof MemberFailed)) throw error;
      failures.push(error.message);
    }
  }
  throw new Error(`no member gave a whole snapshot: ${failures.join("; ")}`);
}

const attempts = 3;

/** The member failed; another one may do. */
class MemberFailed extends Error {}

async function saveFrom(member: SourceMember, options: SaveOptions): Promise<Manifest> {
  const { target, key, verify, scratch } = options;
  const createdAt = new Date();
  const id = `${compact(createdAt)}-r${member.revision}-${randomBytes(3).toString("hex")}`;
  const file = dataFile(id, key !== undefined);
  await target.prepare(storedBytes(member.dbSize, key) + spare);
  const inPlace = key === undefined ? target.path(file) : undefined;
  const copy = verify !== "sha" && inPlace === undefined ? join(scratch, `${id}.db`) : undefined;
  if (copy !== undefined) await roomFor(scratch, member.dbSize + spare);
  let proving = undefined as ReturnType<typeof proveFile> | undefined;
  const prove = (path: string | undefined, sizeBytes: number) => {
    if (verify === "sha" || path === undefined) return;
    proving = proveFile(path, verify, { ...options, database: { sizeBytes } }, options);
    proving.catch(() => {}); // thrown below
  };
  try {
    // A copy is verified while the target is still busy with the last bytes.
    const taken = await transfer(member, options, { file, copy }, (sizeBytes) => prove(copy, sizeBytes));
    failPoint("snapshot/stored");
    prove(inPlace, taken.database.sizeBytes);
    const proof = await proving;
    if (proof !== undefined && revisionRead(proof.status.revision) < BigInt(member.revision)) {
      throw new MemberFailed(
        `${member.endpoint}: its snapshot is of revision ${proof.status.revision}, it was at ${member.revision}`,
      );
    }
    const manifest = manifestOf(options, { id, createdAt, file, member, taken, status: proof?.status });
    await target.commit(manifest);
    return manifest;
  } catch (error) {
    await target.remove(id).catch(() => {});
    throw error;
  } finally {
    await proving?.catch(() => {});
    if (copy !== undefined) await rm(copy, { force: true });
  }
}

/** A snapshot that is stored, and verified as far as it is to be. */
interface Saved {
  readonly id: string;
  readonly createdAt: Date;
  readonly file: string;
  readonly member: SourceMember;
  readonly taken: Taken;
  /** What etcd's tool has read in it, if it was asked. */
  readonly status: SnapshotStatus | undefined;
}

function manifestOf(options: SaveOptions, { id, createdAt, file, member, taken, status }: Saved): Manifest {
  const { deployment, reason, key, karmadaVersion, keyPrefix, takenParts = [], verify } = options;
  return {
    format: 1,
    id,
    deployment,
    reason,
    createdAt: createdAt.toISOString(),
    file,
    sha256: taken.sha256,
    sizeBytes: taken.sizeBytes,
    compression: "none",
    encryption: key === undefined ? { algorithm: "none" } : { algorithm: "AES-256-GCM", keyId: key.keyId },
    database: taken.database,
    revision: member.revision,
    raftIndex: member.raftIndex,
    ...status,
    clusterId: member.clusterId,
    memberId: member.id,
    memberName: member.name,
    etcdVersion: member.version,
    storageVersion: taken.storageVersion,
    ...(karmadaVersion !== undefined && { karmadaVersion }),
    keyPrefix,
    ...(takenParts.length > 0 && { parts: [...takenParts] }),
    verified: { level: verify, at: new Date().toISOString() },
  };
}

/** A fresh etcd reports revision 1, of which nothing is stored; etcdutl reads 0. */
const revisionRead = (revision: string): bigint => (revision === "0" ? 1n : BigInt(revision));

/** What a transfer has stored. */
interface Taken extends Digest {
  /** The database in it, before it was encrypted. */
  readonly database: Manifest["database"];
  readonly storageVersion: string;
}

/**
 * Streams the data from the member into the target, and into a copy when one is wanted.
 * @param copied is told the size of the copy once it is whole
 */
async function transfer(
  member: SourceMember,
  { source, target, key, stallSeconds }: SaveOptions,
  to: { readonly file: string; readonly copy: string | undefined },
  copied: (bytes: number) => void,
): Promise<Taken> {
  const stream = await ofMember(source, () =>
    snapshotStream(member.endpoint, source.connection, {
      seconds: secondsFor(member.dbSize),
      ...(stallSeconds !== undefined && { stallSeconds }),
    }),
  );
  try {
    const database = checkedSnapshot(freeingBuffers(stream.content));
    const whole = blaming(member, database.content);
    const plain = to.copy === undefined ? whole : teed(whole, to.copy, () => copied(database.digest().sizeBytes));
    const stored =
      key === undefined ? { content: plain, digest: database.digest } : digested(encrypted(plain, key.bytes));
    await target.put(to.file, stored.content, storedBytes(stream.sizeBytes, key));
    const { databaseSha256, sizeBytes } = database.digest();
    const { sha256, sizeBytes: storedSize } = stored.digest();
    const { storageVersion } = stream;
    return { sha256, sizeBytes: storedSize, database: { sizeBytes, sha256: databaseSha256 }, storageVersion };
  } finally {
    await stream.end();
  }
}

const storedBytes = (bytes: number, key: EncryptionKey | undefined) =>
  key === undefined ? bytes : encryptedBytes(bytes);

/** If a member refuses for lack of rights, so would all of them. */
async function ofMember<T>(source: SnapshotSource, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isRefusal(error)) throw explainRights(error, source.connection.certificate, rightToSnapshots);
    throw new MemberFailed(messageOf(error), { cause: error });
  }
}

async function* blaming({ endpoint }: SourceMember, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  try {
    yield* content;
  } catch (error) {
    const message = messageOf(error);
    throw new MemberFailed(message.startsWith(endpoint) ? message : `${endpoint}: snapshot: ${message}`, {
      cause: error,
    });
  }
}

/** `20261120T020000Z`. */
const compact = (date: Date) => date.toISOString().replace(/[-:]|\.\d+/g, "");

/** For the manifest, and growth of the database meanwhile. */
const spare = 16 * 2 ** 20;
