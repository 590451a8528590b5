import type { Readable, Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import type { Exit, Session } from "./transport.ts";

/** What a command gets on its standard input: data that can be read again from the start. */
export type Input = () => Readable;

/** Where its standard output goes, from the start each time it is run. */
export type Sink = () => Writable;

/** How a command on a host ended, and what it wrote. */
export interface Ended extends Exit {
  /** Empty when it went elsewhere. */
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Sees a command to its end.
 *
 * @param signal gives it up, and ends it
 * @throws the signal's reason, what keeps the sink from taking more, or LinkLost
 */
export async function execute(session: Session, input: Input, signal: AbortSignal, sink?: Sink): Promise<Ended> {
  const output = { stdout: "", stderr: "" };
  const written = sink && drained(session, sink());
  if (sink === undefined) session.stdout.setEncoding("utf8").on("data", (part: string) => (output.stdout += part));
  session.stderr.setEncoding("utf8").on("data", (part: string) => (output.stderr += part));
  // A command need not read what it is given.
  pipeline(input(), session.stdin).catch(() => undefined);
  const [exit] = await killedOn(signal, session, Promise.all([session.ended, written]));
  return { ...output, ...exit };
}

/** What is waited for of a session, which is ended where that fails or is given up: else it would wait for ever for its reader. */
export async function killedOn<T>(signal: AbortSignal, session: Session, wanted: Promise<T>): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([wanted, aborted]);
  } catch (error) {
    session.kill();
    throw error;
  }
}

/** A session's output may be its input too, and close with it: only what comes from it is passed on. */
function drained({ stdout }: Session, sink: Writable): Promise<void> {
  stdout.pipe(sink);
  return finished(sink);
}
