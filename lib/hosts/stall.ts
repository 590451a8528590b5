import { Readable } from "node:stream";

/** Gives up on something without progress for some time. */
export class Stall {
  readonly #given = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(seconds: number) {
    this.#timer = setTimeout(() => this.#given.abort(), seconds * 1000);
  }

  /** Fires when it is given up. */
  get signal(): AbortSignal {
    return this.#given.signal;
  }

  /** Passes data on; each piece taken counts as progress. */
  through(data: Readable): Readable {
    return Readable.from(this.#watched(data));
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  async *#watched(data: Readable): AsyncGenerator<Buffer> {
    for await (const piece of data as AsyncIterable<Buffer>) {
      yield piece;
      this.#timer.refresh();
    }
  }
}
