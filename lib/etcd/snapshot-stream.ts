import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { messageOf } from "../wait.ts";
import { checkServerIdentity, type EtcdConnection, EtcdError } from "./client.ts";
import { beginCall, outcomeOf } from "./direct/call.ts";
import { type Block, Blobs } from "./snapshot-blobs.ts";

/** A member's database at one point in time, as a stream. */
export interface SnapshotStream {
  /**
   * The database and, as its last 32 bytes, etcd's SHA-256 of it, in blocks of about 1 MiB, each of which is filled again
   * once the next one is asked for. Throws when the member falls silent or breaks off.
   */
  readonly content: AsyncGenerator<Buffer, void>;
  /** How many bytes the content has, to the byte. */
  readonly sizeBytes: number;
  /** For instance `3.6.0`; empty from members before 3.6. */
  readonly storageVersion: string;
  /** Ends the call. Needed where nobody has begun to read the content, as when its file cannot be made. */
  end(): Promise<void>;
}

export interface SnapshotStreamOptions {
  /** For all of it. */
  readonly seconds: number;
  /** Without a byte from the member while we wait for one. @default 30 */
  readonly stallSeconds?: number;
}

/**
 * Begins to read a member's snapshot: gRPC's `etcdserverpb.Maintenance/Snapshot`. @grpc/grpc-js would take half as much
 * CPU again, more than etcdctl; through etcd's JSON gateway every byte would be base64. Until it is ended the member
 * keeps the call open, and this process lives.
 */
export async function snapshotStream(
  endpoint: string,
  connection: EtcdConnection,
  options: SnapshotStreamOptions,
): Promise<SnapshotStream> {
  const blocks = received(endpoint, connection, options);
  const first = await blocks.next();
  if (first.done === true) throw new Error(`${endpoint}: snapshot: it ended before it began`);
  const { totalBytes: sizeBytes, storageVersion } = first.value;
  const end = async () => void (await blocks.return());
  return { content: contents(first.value, blocks), sizeBytes, storageVersion, end };
}

async function* contents(first: Block, rest: AsyncGenerator<Block, void>): AsyncGenerator<Buffer, void> {
  try {
    yield first.content;
    for await (const { content } of rest) yield content;
  } finally {
    await rest.return();
  }
}

/** What the call gives. */
async function* received(
  endpoint: string,
  { ca, certificate: cert, key }: EtcdConnection,
  { seconds, stallSeconds = 30 }: SnapshotStreamOptions,
): AsyncGenerator<Block, void> {
  const settings = { enablePush: false, initialWindowSize: window };
  const session = connect(endpoint, { ca, cert, key, checkServerIdentity, settings });
  const call = request(session);
  const deadline = setTimeout(() => call.destroy(new Error(`it took longer than ${seconds} s`)), seconds * 1000);
  try {
    const ended = outcomeOf(call);
    yield* blocks(call, stallSeconds);
    const { status, said } = await ended;
    if (status === undefined) throw new Error(said ?? "it broke off");
    if (status !== "0") throw EtcdError.ofCall(endpoint, "snapshot", status, said);
  } catch (error) {
    if (error instanceof EtcdError) throw error;
    const cut = ["ECONNRESET", "EPIPE"].includes((error as NodeJS.ErrnoException).code ?? "");
    throw new Error(`${endpoint}: snapshot: ${cut ? "it broke off" : messageOf(error)}`, { cause: error });
  } finally {
    clearTimeout(deadline);
    session.destroy();
  }
}

/** Flow-control window. With the usual 64 KiB the member waits for us more than it sends. */
const window = 4 * 2 ** 20;

function request(session: ClientHttp2Session): ClientHttp2Stream {
  session.once("connect", () => session.setLocalWindowSize(window));
  session.on("error", () => {}); // the stream has it too
  return beginCall(session, "/etcdserverpb.Maintenance/Snapshot", Buffer.alloc(0));
}

/**
 * What arrives, block by block, while the next one is filled. Time in which nobody asks for one is not counted as
 * silence. Pieces are cut and joined as they arrive, without a promise for each, which would take as long as everything
 * else.
 */
async function* blocks(call: ClientHttp2Stream, stallSeconds: number): AsyncGenerator<Block, void> {
  const blobs = new Blobs();
  const full: Block[] = [];
  let over: { readonly error?: Error } | undefined;
  let wake: (() => void) | undefined;
  const silence = setTimeout(() => {
    if (wake !== undefined) call.destroy(new Error(`nothing came for ${stallSeconds} s`));
  }, stallSeconds * 1000);
  const end = (error?: Error) => {
    over ??= error === undefined ? {} : { error };
    wake?.();
  };
  call.on("data", (piece: Buffer) => {
    silence.refresh();
    try {
      const block = blobs.add(piece);
      if (block === undefined) return;
      if (full.push(block) >= blocksAhead) call.pause();
      wake?.();
    } catch (error) {
      call.destroy(error as Error);
    }
  });
  call.once("end", () => end());
  call.once("error", end);
  call.once("close", () => end());
  try {
    for (;;) {
      const block = full.shift();
      if (block !== undefined) {
        yield block;
        blobs.reuse(block);
      } else if (over === undefined) {
        silence.refresh();
        call.resume();
        await new Promise<void>((resolve) => (wake = resolve));
        wake = undefined;
      } else break;
    }
    if (over.error !== undefined) throw over.error;
    const rest = blobs.rest();
    if (rest.content.length > 0) yield rest;
  } finally {
    clearTimeout(silence);
  }
}

const blocksAhead = 2;
