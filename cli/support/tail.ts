import { Writable } from "node:stream";

/** Bytes that are kept of each log: the last ones tell what is wrong. */
export const mostBytes = 5 * 2 ** 20;

/** Takes a log of any length, and keeps its end. */
export class Tail extends Writable {
  readonly #most: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isCut = false;

  constructor(most = mostBytes) {
    super();
    this.#most = most;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // With a byte more than is shown, to see where a line begins.
    while (this.#bytes - this.#chunks[0]!.length > this.#most) {
      this.#bytes -= this.#chunks.shift()!.length;
      this.#isCut = true;
    }
    done();
  }

  /** Whole lines, in at most as many bytes as are kept. */
  get text(): string {
    const all = Buffer.concat(this.#chunks);
    const isCut = this.#isCut || all.length > this.#most;
    if (!isCut) return all.toString("utf8");
    const end = all.subarray(-this.#most - 1);
    return end.subarray(end.indexOf("\n") + 1).toString("utf8");
  }
}
