import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import * as zlib from "node:zlib";

/** Content packed by zstd, in pieces. */
export type Packed = readonly Buffer[];

/** Whether this Node.js can pack: zstd came with 22.15. */
export const canPack = "createZstdCompress" in zlib;

/**
 * Gives a file packed, which a program is to about a third, in memory. Whoever sends it to further hosts meanwhile gets the
 * same; nothing of it stays once all are through.
 */
export async function withPacked<T>(file: string, send: (packed: Packed) => Promise<T>): Promise<T> {
  const one = inUse.get(file) ?? { users: 0, packed: pack(file) };
  inUse.set(file, one);
  one.users++;
  try {
    return await send(await one.packed);
  } finally {
    if (--one.users === 0) inUse.delete(file);
  }
}

const inUse = new Map<string, { users: number; readonly packed: Promise<Packed> }>();

/** At the level that keeps up with a line of 10 Gbit/s: higher ones take longer than they save. */
async function pack(file: string): Promise<Packed> {
  const pieces: Buffer[] = [];
  const params = { [zlib.constants.ZSTD_c_compressionLevel]: 1 };
  await pipeline(
    createReadStream(file, { highWaterMark: pieceBytes }),
    zlib.createZstdCompress({ chunkSize: pieceBytes, params }),
    async (packed: AsyncIterable<Buffer>) => {
      for await (const piece of packed) pieces.push(piece);
    },
  );
  return pieces;
}

const pieceBytes = 2 ** 18;
