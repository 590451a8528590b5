import { createHash } from "node:crypto";
import { type Digest, type Digested, known } from "../digested.ts";
import { digestBytes } from "../etcd/snapshot-blobs.ts";

/** Digest of etcd's snapshot file, with the digest etcd itself made of it. */
export interface SnapshotDigest extends Digest {
  /** Hexadecimal, of all but the last 32 bytes, which are this digest. */
  readonly databaseSha256: string;
}

/**
 * Recomputes the digest at the end of etcd's snapshot. The content ends with an error when it does not match the bytes
 * before it, so that only complete, good snapshots are stored.
 */
export function checkedSnapshot(content: AsyncIterable<Buffer>): Digested<SnapshotDigest> {
  let seen: SnapshotDigest | undefined;
  return { content: pass(), digest: () => known(seen) };

  async function* pass() {
    const hash = createHash("sha256");
    let last = Buffer.alloc(0);
    let sizeBytes = 0;
    for await (const chunk of content) {
      sizeBytes += chunk.length;
      const held = chunk.length >= digestBytes ? chunk : Buffer.concat([last, chunk]);
      if (held === chunk) hash.update(last);
      const cut = Math.max(0, held.length - digestBytes);
      hash.update(held.subarray(0, cut));
      last = Buffer.from(held.subarray(cut));
      yield chunk;
    }
    const whole = hash.copy().update(last).digest("hex");
    const databaseSha256 = hash.digest("hex");
    if (last.toString("hex") !== databaseSha256) throw new Error(complaint(sizeBytes, last, databaseSha256));
    seen = { sha256: whole, sizeBytes, databaseSha256 };
  }
}

/** A page of etcd's database has a multiple of 512 bytes, so the size tells whether the digest is there at all. */
function complaint(sizeBytes: number, last: Buffer, sha256: string): string {
  if (sizeBytes % 512 !== digestBytes) return `${sizeBytes} bytes without etcd's digest at their end: it was cut off`;
  return `etcd's digest at the end is ${last.toString("hex").slice(0, 12)}, that of the bytes ${sha256.slice(0, 12)}: it was damaged`;
}
