import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { digestBytes } from "../snapshot-blobs.ts";
import type { Digest } from "../../digested.ts";
import { checkedSnapshot, type SnapshotDigest } from "../../snapshots/digest.ts";
import { messageOf } from "../../wait.ts";

/**
 * Reads a snapshot file once and checks it against the digest at its end.
 * @throws when it is cut off, changed, or no snapshot
 */
export async function proveFile(path: string): Promise<SnapshotDigest> {
  const checked = checkedSnapshot(createReadStream(path, reading));
  try {
    await readThrough(checked.content);
    return checked.digest();
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** The digest at the end of a snapshot file, not verified here, and its size. */
export async function endOf(path: string): Promise<Digest> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(digestBytes),
      0,
      digestBytes,
      Math.max(0, size - digestBytes),
    );
    return { sizeBytes: size, sha256: buffer.toString("hex", 0, bytesRead) };
  } finally {
    await file.close();
  }
}

/** Reads to the end, for the errors thrown on the way. */
export async function readThrough(content: AsyncIterable<unknown>): Promise<void> {
  const chunks = content[Symbol.asyncIterator]();
  while ((await chunks.next()).done !== true);
}

/** The digest of any file. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, reading)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

const reading = { highWaterMark: 1 << 20 };
