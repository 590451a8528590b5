import { randomBytes } from "node:crypto";
import { Writable } from "node:stream";
import { quote } from "./quote.ts";
import type { Sink } from "./execute.ts";

/**
 * What every script prints first: a login shell may already have printed a greeting (`.bashrc`, `config.fish`), which
 * is not part of the answer.
 */
const mark = `begun-${randomBytes(8).toString("hex")}\n`;

/** The shell command that says so. */
export const begin = `printf %s\\\\n ${quote(mark.trim())}`;

/** Whether a script has begun, by what was written. */
export const hasBegun = (output: string): boolean => output.includes(mark);

/** What a script wrote after it had begun; absent when it did not. */
export function afterBegin(output: string): string | undefined {
  const at = output.indexOf(mark);
  return at === -1 ? undefined : output.slice(at + mark.length);
}

/** A sink that passes on only what a script wrote after it had begun. */
export const sinkAfterBegin =
  (sink: Sink): Sink =>
  () =>
    new AfterBegin(sink());

class AfterBegin extends Writable {
  readonly #to: Writable;
  /** Output before the mark, or perhaps a part of the mark; absent once the mark has come. */
  #before: Buffer | undefined = Buffer.alloc(0);

  constructor(to: Writable) {
    super();
    this.#to = to.once("error", (error) => this.destroy(error));
  }

  override _write(piece: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#before === undefined) return void this.#to.write(piece, done);
    const all = Buffer.concat([this.#before, piece]);
    const at = all.indexOf(mark);
    this.#before = at === -1 ? all.subarray(-mark.length) : undefined;
    if (at === -1) done();
    else this.#to.write(all.subarray(at + mark.length), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#to.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#to.destroy(error ?? undefined);
    done(error);
  }
}
