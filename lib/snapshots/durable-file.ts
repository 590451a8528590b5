import { createWriteStream, type WriteStream } from "node:fs";

/** A file for its owner only, whose bytes are on the disk when it has been closed. Many small pieces are written together. */
export function durableFile(path: string, flags: "w" | "wx"): WriteStream {
  return createWriteStream(path, { flags, mode: 0o600, flush: true, highWaterMark: 2 ** 20 });
}
