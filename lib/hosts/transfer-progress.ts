import { Readable } from "node:stream";

/** How often progress is reported. */
const quietSeconds = 10;

/** Reports the progress of a transfer that takes long. */
export class TransferProgress {
  readonly #timer: NodeJS.Timeout;
  #done = 0;

  /**
   * @param what `host1 (10.0.0.11): sending etcd`
   * @param total bytes
   */
  constructor(what: string, total: number, say: (sentence: string) => void, seconds = quietSeconds) {
    const tell = () => say(progressOf(what, this.#done, total));
    this.#timer = setInterval(tell, seconds * 1000).unref();
  }

  /** Passes data on, counted from their start as they are taken. */
  through(data: Iterable<Buffer> | AsyncIterable<Buffer>): Readable {
    this.#done = 0;
    return Readable.from(this.#counted(data));
  }

  end(): void {
    clearInterval(this.#timer);
  }

  async *#counted(data: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of data) {
      yield piece;
      this.#done += piece.length;
    }
  }
}

/** Progress in bytes, in words. */
export const progressOf = (what: string, done: number, total: number): string =>
  `${what}: ${megabytes(done)} of ${megabytes(total)} MB`;

const megabytes = (bytes: number): number => Math.round(bytes / 1e6);
