import { deadlineIn, messageOf, waitFor, type WaitOptions } from "../lib/wait.ts";

/** It is not ready, and waiting any longer is hopeless. */
export class Hopeless extends Error {}

/** A process that was started, in the words of its errors. */
interface Started {
  /** Its name, and where it runs. */
  readonly title: string;
  /** What is waited for. */
  readonly awaited: string;
  readonly startSeconds: number;
  /** What its log says, in lines of their own. */
  readonly log: () => string | Promise<string>;
}

/**
 * Waits until a process that was started is ready.
 *
 * @param attempt throws as long as it is not, and {@link Hopeless} once it never will be
 * @throws with what the last attempt threw and the end of the log
 */
export async function waitForStarted(
  { title, awaited, startSeconds, log }: Started,
  attempt: () => Promise<void>,
  intervals: Pick<WaitOptions, "interval" | "maxInterval">,
): Promise<void> {
  try {
    await waitFor(awaited, deadlineIn(startSeconds), attempt, {
      ...intervals,
      fatal: (error) => error instanceof Hopeless,
    });
  } catch (error) {
    throw new Error(`${title}: started, but not ready: ${messageOf(error)}${await log()}`, { cause: error });
  }
}
