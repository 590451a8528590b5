import { prefixBytes } from "./direct/call.ts";

/** Blobs of many messages, one after the other. */
export interface Block {
  readonly memory: Buffer;
  readonly content: Buffer;
  /** Bytes of the whole snapshot: of the blobs of all messages, these and those to come. */
  readonly totalBytes: number;
  readonly storageVersion: string;
}

const blockBytes = 2 ** 20;

/** Length of the SHA-256 digest at the end of every snapshot. */
export const digestBytes = 32;

/**
 * The blobs of the messages, cut out and joined in the very block into which the stream is copied as it arrives. A few
 * blocks are reused throughout: a buffer for each message, or each block, would keep the garbage collector as busy as
 * everything else.
 */
export class Blobs {
  #block: Buffer = Buffer.allocUnsafeSlow(blockBytes);
  /** Up to here the block holds blobs; from `#start` to `#end` there is the beginning of a message. */
  #joined = 0;
  #start = 0;
  #end = 0;
  #totalBytes: number | undefined;
  #storageVersion = "";
  readonly #free: Buffer[] = [];

  /** @returns the full block, when another one had to be begun */
  add(piece: Buffer): Block | undefined {
    const block = this.#end + piece.length > this.#block.length ? this.#renew(piece.length) : undefined;
    this.#end += piece.copy(this.#block, this.#end);
    while (this.#end - this.#start >= prefixBytes) {
      const next = this.#start + prefixBytes + this.#block.readUInt32BE(this.#start + 1);
      if (next > this.#end) break;
      const { blob, remainingBytes, storageVersion } = decoded(this.#block.subarray(this.#start + prefixBytes, next));
      this.#totalBytes ??= blob.length + remainingBytes + digestBytes;
      this.#joined += blob.copy(this.#block, this.#joined);
      this.#storageVersion = storageVersion;
      this.#start = next;
    }
    return block;
  }

  /** The blobs joined since the last full block. */
  rest(): Block {
    const memory = this.#block;
    return {
      memory,
      content: memory.subarray(0, this.#joined),
      totalBytes: this.#totalBytes ?? 0,
      storageVersion: this.#storageVersion,
    };
  }

  /** Returns a block that is no longer needed. */
  reuse({ memory }: Block): void {
    this.#free.push(memory);
  }

  #renew(bytes: number): Block | undefined {
    const full = this.rest();
    const begun = this.#block.subarray(this.#start, this.#end);
    const needed = begun.length + bytes;
    const free = needed > blockBytes ? undefined : this.#free.pop();
    this.#block = free ?? Buffer.allocUnsafeSlow(Math.max(blockBytes, needed));
    [this.#joined, this.#start, this.#end] = [0, 0, begun.copy(this.#block)];
    return full.content.length === 0 ? undefined : full;
  }
}

interface Message {
  readonly blob: Buffer;
  /** Bytes of the database after this blob; the digest at the end is not counted. */
  readonly remainingBytes: number;
  readonly storageVersion: string;
}

/** `SnapshotResponse` of etcd's rpc.proto: 2 is what remains, 3 the blob, 4 the version. */
function decoded(message: Buffer): Message {
  let [blob, remainingBytes, storageVersion] = [message.subarray(0, 0), 0, ""];
  for (let at = 0; at < message.length;) {
    const tag = varint(message, at);
    const value = varint(message, tag.next);
    const field = Math.floor(tag.value / 8);
    if (tag.value % 8 === 0) {
      at = value.next;
      if (field === 2) remainingBytes = value.value;
      continue;
    }
    if (tag.value % 8 !== 2) throw new Error(`a field of it has the type ${tag.value % 8}`);
    at = value.next + value.value;
    const bytes = message.subarray(value.next, at);
    if (field === 3) blob = bytes;
    if (field === 4) storageVersion = bytes.toString();
  }
  return { blob, remainingBytes, storageVersion };
}

/** A number of seven bits per byte, the lowest first (https://protobuf.dev/programming-guides/encoding/). */
function varint(bytes: Buffer, at: number): { readonly value: number; readonly next: number } {
  let value = 0;
  for (let i = 0; ; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) throw new Error("a message of it is cut short");
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return { value, next: at + i + 1 };
  }
}
