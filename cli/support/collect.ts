import { once } from "node:events";
import type { Into, Parts } from "./parts.ts";

/** Something that a bundle is made of. */
export interface Source {
  /** Path of what it puts into the bundle; that of a directory ends with a slash. */
  readonly path: string;
  /** Seconds that it has. @default 60 */
  readonly seconds?: number;
  /** @throws why nothing can be had of it */
  readonly read: (into: Into) => Promise<void>;
}

const usualSeconds = 60;

/**
 * Asks all sources at the same time. One that fails, or does not come to an end in its time, is noted as lacking with the
 * reason; what it has put before stays.
 *
 * @throws when it is interrupted
 */
export async function collect(sources: readonly Source[], parts: Parts, interrupted: AbortSignal): Promise<void> {
  interrupted.throwIfAborted();
  const interruption = once(interrupted, "abort").then(() => interrupted.throwIfAborted());
  await Promise.all(sources.map((source) => ask(source, parts, interruption)));
  interrupted.throwIfAborted();
}

async function ask(
  { path, seconds = usualSeconds, read }: Source,
  parts: Parts,
  interruption: Promise<void>,
): Promise<void> {
  let isOver = false;
  // What comes later would change files that are being packed.
  const into: Into = {
    put: async (...part) => {
      if (!isOver) await parts.put(...part);
    },
    lacks: (...lack) => {
      if (!isOver) parts.lacks(...lack);
    },
  };
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no end within ${seconds} s`)), seconds * 1000);
  try {
    await Promise.race([read(into), late.promise, interruption]);
  } catch (error) {
    into.lacks(path, error);
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}
