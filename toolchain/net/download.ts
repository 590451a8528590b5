import { createWriteStream } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { diskProblem } from "../disk-error.ts";
import type { Context } from "../sources/source.ts";
import { sha256 } from "../sha256.ts";
import { fileSha256 } from "../store/content.ts";
import { withLock } from "../store/lock.ts";
import { Unreachable } from "./http.ts";

export interface Download {
  readonly address: string;
  /** The checksum the whole must have. @default unknown: the caller compares */
  readonly sha256?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whom to report progress as. */
  readonly subject: string;
}

const attempts = 3;
/** Less than this on average, over the time a server may be silent, counts as silence. In bytes a second. */
const slowest = 1024;

interface Downloaded {
  readonly path: string;
  readonly sha256: string;
}

/**
 * Downloads a file into a scratch directory. A connection that breaks is taken up where it broke, also by a later run
 * when this one is interrupted. One run at a time: platforms share what is of any, and each has a lock of its own.
 * @throws after three attempts, or at once when another cannot help
 */
export async function download(wanted: Download, context: Context): Promise<Downloaded> {
  const name = sha256(wanted.address);
  const part = join(context.store, "downloads", name);
  await mkdir(join(context.store, "downloads"), { recursive: true });
  const lock = join(context.store, "locks", `download-${name}`);
  const onWait = (holder: string) => context.progress({ subject: wanted.subject, step: `wait for ${holder}` });
  return withLock(lock, { signal: context.signal, onWait }, () => downloadInto(part, wanted, context));
}

async function downloadInto(part: string, wanted: Download, context: Context): Promise<Downloaded> {
  // Without a checksum it is unknown whether two halves belong together.
  if (wanted.sha256 === undefined) await rm(part, { force: true });
  return context.downloads(async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        const resumed = await fetchRest(wanted, part, context);
        const sha256 = await fileSha256(part);
        if (wanted.sha256 !== undefined && sha256 !== wanted.sha256) throw new WrongChecksum(wanted, sha256, resumed);
        const path = join(await context.scratch(), "download");
        await rename(part, path);
        return { path, sha256 };
      } catch (error) {
        context.signal?.throwIfAborted();
        if (attempt === attempts || !mayPass(error)) {
          await rm(part, { force: true });
          throw error;
        }
        if (error instanceof WrongChecksum) await rm(part, { force: true });
        await sleep(200 * attempt);
      }
    }
  });
}

class WrongChecksum extends Error {
  /** Whether it was put together from parts, which may be of different files. */
  readonly resumed: boolean;
  constructor({ address, sha256 }: Download, found: string, resumed: boolean) {
    super(`${address}: checksum is ${found}, the publisher says ${sha256}`);
    this.resumed = resumed;
  }
}

class BadStatus extends Error {
  readonly status: number;
  constructor(address: string, status: number) {
    super(`${address}: HTTP ${status}`);
    this.status = status;
  }
}

/** Whether trying once more can help: not when the file is not there, the host is unreachable, or our disk refuses. */
function mayPass(error: unknown): boolean {
  if (error instanceof Unreachable) return false;
  if (error instanceof WrongChecksum) return error.resumed;
  if (error instanceof BadStatus) return error.status === 429 || error.status >= 500;
  return diskProblem(error) === undefined;
}

/** @returns whether it went on from what was there */
async function fetchRest(wanted: Download, part: string, context: Context): Promise<boolean> {
  const have = await stat(part).then(
    (found) => found.size,
    () => 0,
  );
  const range = have > 0 ? { range: `bytes=${have}-` } : {};
  const headers = { ...wanted.headers, ...range };
  const response = await context.http.get(wanted.address, { headers, signal: context.signal });
  const { statusCode = 0 } = response;
  // 416: there is nothing after what we have.
  if (statusCode === 416 && have > 0) {
    response.destroy();
    return true;
  }
  if (statusCode !== 200 && statusCode !== 206) {
    response.destroy();
    throw new BadStatus(wanted.address, statusCode);
  }
  const start = statusCode === 206 ? have : 0;
  const length = Number(response.headers["content-length"]);
  const total = Number.isFinite(length) ? start + length : undefined;
  let done = start;
  response.on("data", (chunk: Buffer) => {
    done += chunk.length;
    const counted = { done, unit: "bytes" as const, ...(total === undefined ? {} : { total }) };
    context.progress({ subject: wanted.subject, step: "download", ...counted });
  });
  const watch = watchSpeed(response, wanted.address, context.http.idleSeconds, () => done);
  try {
    await pipeline(response, createWriteStream(part, { flags: start > 0 ? "a" : "w" }), { signal: context.signal });
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["ECONNRESET", "ERR_STREAM_PREMATURE_CLOSE"].includes(code)) throw error;
    const of = total === undefined ? "" : ` of ${total}`;
    throw new Error(`${wanted.address}: the connection broke after ${done}${of} bytes`, { cause: error });
  } finally {
    clearInterval(watch);
  }
  return start > 0;
}

function watchSpeed(response: IncomingMessage, address: string, seconds: number, done: () => number) {
  let before = done();
  return setInterval(() => {
    const received = done() - before;
    before += received;
    if (received >= slowest * seconds) return;
    response.destroy(new Error(`${address}: too slow, ${received} bytes in ${seconds}s`));
  }, seconds * 1000);
}
