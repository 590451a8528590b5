import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import * as zlib from "node:zlib";
import { digested } from "../digested.ts";

/** Content compressed with zstd, in pieces. */
export type Packed = readonly Buffer[];

/** Whether this Node.js can compress: zstd came with 22.15. */
export const canPack = "createZstdCompress" in zlib;

/**
 * Lends a file compressed in memory, a program to about a third. Concurrent transfers to other hosts share it; it is
 * dropped once all are through.
 *
 * @throws when the file has another digest
 */
export async function withPacked<T>(file: string, sha256: string, send: (packed: Packed) => Promise<T>): Promise<T> {
  const key = `${sha256} ${file}`;
  const one = inUse.get(key) ?? { users: 0, packed: pack(file, sha256) };
  inUse.set(key, one);
  one.users++;
  try {
    return await send(await one.packed);
  } finally {
    if (--one.users === 0) inUse.delete(key);
  }
}

const inUse = new Map<string, { users: number; readonly packed: Promise<Packed> }>();

async function pack(file: string, sha256: string): Promise<Packed> {
  const { content, digest } = digested(createReadStream(file, { highWaterMark: pieceBytes }));
  const pieces: Buffer[] = [];
  await pipeline(
    content,
    zlib.createZstdCompress({ chunkSize: pieceBytes, params }),
    async (packed: AsyncIterable<Buffer>) => {
      for await (const piece of packed) pieces.push(piece);
    },
  );
  const found = digest().sha256;
  if (found !== sha256) {
    throw new Error(`${file}: its SHA-256 is ${found.slice(0, 12)}, want ${sha256.slice(0, 12)}: obtain it again`);
  }
  return pieces;
}

/**
 * Programs get a tenth larger than at the usual level, in half the time and with less work for the hosts too: between
 * machines of one network compressing takes longer than sending.
 */
const params = { [zlib.constants.ZSTD_c_compressionLevel]: 1, [zlib.constants.ZSTD_c_checksumFlag]: 1 };

const pieceBytes = 2 ** 18;
