import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from "node:http2";
import { messageOf } from "../wait.ts";
import { checkServerIdentity, type EtcdConnection } from "./client.ts";

/** A member's database, as it was at one moment, on its way to us. */
export interface SnapshotStream {
  /** The database and, as its last 32 bytes, etcd's SHA-256 of it. Throws when the member falls silent or breaks off. */
  readonly content: AsyncGenerator<Buffer, void>;
  /** Of the whole content. */
  readonly bytes: number;
  /** For instance `3.6.0`; empty from members before 3.6. */
  readonly storageVersion: string;
}

export interface SnapshotStreamOptions {
  /** For all of it. */
  readonly seconds: number;
  /** Without a byte from the member, while we wait for one. @default 30 */
  readonly stallSeconds?: number;
}

/** Of the SHA-256 at the end of every snapshot. */
export const digestBytes = 32;

/**
 * Begins to read a member's snapshot: gRPC's `etcdserverpb.Maintenance/Snapshot`, whose messages are plain frames of
 * HTTP/2. With @grpc/grpc-js it takes half as much CPU again, more than etcdctl; by etcd's JSON gateway every byte would be
 * base64. Content that is not read to its end has to be ended with `return()`, as `for await` and pipelines do.
 */
export async function snapshotStream(
  endpoint: string,
  connection: EtcdConnection,
  options: SnapshotStreamOptions,
): Promise<SnapshotStream> {
  const messages = received(endpoint, connection, options);
  const first = await messages.next();
  if (first.done === true) throw new Error(`${endpoint}: snapshot: it ended before it began`);
  const { blob, remainingBytes, storageVersion } = first.value;
  return { content: blobs(first.value, messages), bytes: blob.length + remainingBytes + digestBytes, storageVersion };
}

async function* blobs(first: Message, rest: AsyncGenerator<Message, void>): AsyncGenerator<Buffer, void> {
  try {
    yield first.blob;
    for await (const { blob } of rest) yield blob;
  } finally {
    await rest.return();
  }
}

/** The call's messages. Time in which nobody asks for one is not counted as silence. */
async function* received(
  endpoint: string,
  { ca, certificate: cert, key }: EtcdConnection,
  { seconds, stallSeconds = 30 }: SnapshotStreamOptions,
): AsyncGenerator<Message, void> {
  const settings = { enablePush: false, initialWindowSize: window };
  const session = connect(endpoint, { ca, cert, key, checkServerIdentity, settings });
  const call = request(session);
  let waiting = true;
  const silence = setTimeout(() => {
    if (waiting) call.destroy(new Error(`nothing came for ${stallSeconds} s`));
  }, stallSeconds * 1000);
  const deadline = setTimeout(() => call.destroy(new Error(`it took longer than ${seconds} s`)), seconds * 1000);
  try {
    const ended = outcome(call);
    for await (const message of whole(call)) {
      waiting = false;
      yield decoded(message);
      waiting = true;
      silence.refresh();
    }
    const { status, said } = await ended;
    if (status !== "0") throw new Error(said ?? (status === undefined ? "it broke off" : `gRPC status ${status}`));
  } catch (error) {
    const cut = ["ECONNRESET", "EPIPE"].includes((error as NodeJS.ErrnoException).code ?? "");
    throw new Error(`${endpoint}: snapshot: ${cut ? "it broke off" : messageOf(error)}`, { cause: error });
  } finally {
    clearTimeout(silence);
    clearTimeout(deadline);
    session.destroy();
  }
}

/** What may be on its way. With the usual 64 KiB the member waits for us more than it sends. */
const window = 4 * 2 ** 20;

function request(session: ClientHttp2Session): ClientHttp2Stream {
  session.once("connect", () => session.setLocalWindowSize(window));
  session.on("error", () => {}); // the stream has it too
  const call = session.request({
    [constants.HTTP2_HEADER_METHOD]: "POST",
    [constants.HTTP2_HEADER_PATH]: "/etcdserverpb.Maintenance/Snapshot",
    [constants.HTTP2_HEADER_CONTENT_TYPE]: "application/grpc",
    [constants.HTTP2_HEADER_TE]: "trailers",
  });
  return call.end(Buffer.alloc(prefixBytes)); // an empty message
}

interface Outcome {
  /** gRPC's, in decimal; absent when the line was cut. */
  readonly status?: string | undefined;
  readonly said?: string | undefined;
}

/** How the call ended: in trailers, or in the headers when it failed at once. */
function outcome(call: ClientHttp2Stream): Promise<Outcome> {
  const text = (value: string | string[] | undefined) => (value === undefined ? undefined : String(value));
  const read = (headers: IncomingHttpHeaders): Outcome => ({
    status: text(headers["grpc-status"]),
    said: text(headers["grpc-message"]),
  });
  return new Promise((resolve) => {
    call.once("response", (headers) => {
      if (headers["grpc-status"] !== undefined) resolve(read(headers));
      else if (headers[":status"] !== 200) resolve({ said: `HTTP ${headers[":status"]}` });
    });
    call.once("trailers", (headers) => resolve(read(headers)));
    call.once("close", () => resolve({}));
  });
}

/** Of each message: whether it is compressed, which it never is here, and its length. */
const prefixBytes = 5;

/**
 * The messages, cut out of blocks into which everything is copied as it comes: a buffer for each of a million messages
 * would keep the garbage collector as busy as all the rest.
 */
async function* whole(call: ClientHttp2Stream): AsyncGenerator<Buffer, void> {
  let block = Buffer.allocUnsafeSlow(blockBytes);
  let [start, end] = [0, 0];
  for await (const piece of pieces(call)) {
    if (end + piece.length > block.length) {
      const kept = block.subarray(start, end);
      block = Buffer.allocUnsafeSlow(Math.max(blockBytes, kept.length + piece.length));
      [start, end] = [0, kept.copy(block)];
    }
    end += piece.copy(block, end);
    while (end - start >= prefixBytes) {
      const next = start + prefixBytes + block.readUInt32BE(start + 1);
      if (next > end) break;
      yield block.subarray(start + prefixBytes, next);
      start = next;
    }
  }
}

const blockBytes = 2 ** 20;

/** What arrives, piece by piece: `for await` over the stream itself would join them first. */
async function* pieces(call: ClientHttp2Stream): AsyncGenerator<Buffer, void> {
  let arrived: Buffer[] = [];
  let length = 0;
  let over: { readonly error?: Error } | undefined;
  let wake = () => {};
  call.on("data", (piece: Buffer) => {
    arrived.push(piece);
    length += piece.length;
    if (length >= blockBytes) call.pause();
    wake();
  });
  const end = (error?: Error) => {
    over ??= error === undefined ? {} : { error };
    wake();
  };
  call.once("end", () => end());
  call.once("error", end);
  call.once("close", () => end());
  for (;;) {
    const batch = arrived;
    [arrived, length] = [[], 0];
    call.resume();
    yield* batch;
    if (arrived.length > 0) continue;
    if (over !== undefined) {
      if (over.error !== undefined) throw over.error;
      return;
    }
    await new Promise<void>((resolve) => (wake = resolve));
  }
}

interface Message {
  readonly blob: Buffer;
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
      if (field === 2) remainingBytes = value.value;
      at = value.next;
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
