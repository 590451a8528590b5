import { setTimeout as sleep } from "node:timers/promises";

/** A moment after which nothing is waited for any more, with a signal that fires then. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** The time that was given, in seconds. */
  readonly seconds: number;
  /** Milliseconds left, never below 0. */
  left(): number;
  /** Seconds it was exceeded by, 0 before it. */
  over(): number;
}

/** A deadline that many seconds from now. */
export function deadlineIn(seconds: number): Deadline {
  const end = performance.now() + seconds * 1000;
  return {
    signal: AbortSignal.timeout(Math.ceil(seconds * 1000)),
    seconds,
    left: () => Math.max(0, end - performance.now()),
    over: () => Math.max(0, performance.now() - end) / 1000,
  };
}

/** A deadline that can begin anew. */
export interface RenewableDeadline extends Deadline {
  renew(): void;
}

/** A deadline for what comes nearer bit by bit, however many bits there are: each may take that many seconds. */
export function renewableDeadline(seconds: number): RenewableDeadline {
  let current = deadlineIn(seconds);
  return {
    get signal() {
      return current.signal;
    },
    seconds,
    left: () => current.left(),
    over: () => current.over(),
    renew: () => (current = deadlineIn(seconds)),
  };
}

/** The answer of an attempt that has to be made again; `reason` says what is missing. */
export class Pending {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** How {@link waitFor} behaves between attempts. */
export interface WaitOptions {
  /** Milliseconds between the first attempts; it doubles up to `maxInterval`. @default 50 */
  readonly interval?: number;
  /** @default 500 */
  readonly maxInterval?: number;
  /** Errors that no further attempt can mend are thrown at once. @default every error is tried again */
  readonly fatal?: (error: unknown) => boolean;
}

/**
 * Tries until it works. An attempt that throws, or answers {@link Pending}, is made again until the deadline; then the
 * error names `what` was waited for, how long, and the last real answer. The deadline cuts no attempt short, for it may be
 * changing something: each ends by a deadline of its own.
 */
export async function waitFor<T>(
  what: string,
  deadline: Deadline,
  attempt: () => Promise<T | Pending>,
  options: WaitOptions = {},
): Promise<T> {
  const { maxInterval = 500, fatal = () => false } = options;
  let interval = options.interval ?? 50;
  let last: { answer: string; cause?: unknown } = { answer: "no attempt came to an end" };
  for (;;) {
    try {
      const result = await attempt();
      if (!(result instanceof Pending)) return result;
      last = { answer: result.reason };
    } catch (error) {
      if (fatal(error)) throw error;
      // What the deadline itself interrupts says less than the answer before it.
      if (!deadline.signal.aborted || last.cause === undefined) last = { answer: messageOf(error), cause: error };
    }
    if (deadline.left() <= interval) {
      throw new Error(`waited ${inWords(deadline.seconds + Math.floor(deadline.over()))} for ${what}: ${last.answer}`, {
        cause: last.cause,
      });
    }
    await sleep(interval);
    interval = Math.min(interval * 2, maxInterval);
  }
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** `90` as `1m30s`. */
function inWords(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = Math.round((seconds - minutes * 60) * 10) / 10;
  if (minutes === 0) return `${rest}s`;
  return rest === 0 ? `${minutes}m` : `${minutes}m${rest}s`;
}
