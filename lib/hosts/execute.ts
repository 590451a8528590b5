import type { Readable, Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import type { Exit, Session } from "./transport.ts";

/** A command's standard input: data that can be read again from the start. */
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
 * Runs a command to its end.
 *
 * @param signal abandons it, and ends it
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

/**
 * Waits for something of a session, which is killed if that fails or is abandoned: otherwise it would wait for its
 * reader for ever.
 */
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

/** A session's output may be the same stream as its input, and close with it: only what comes from it is passed on. */
function drained({ stdout }: Session, sink: Writable): Promise<void> {
  stdout.pipe(sink);
  return finished(sink);
}
