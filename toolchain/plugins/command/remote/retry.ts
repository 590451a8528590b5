import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../server/index.ts";

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;
const BACKOFF = 1.5;

/**
 * Tries until it succeeds, with growing pauses.
 *
 * @param what for the user's screen, for instance `Dial`
 * @param limit failed attempts to put up with; -1 for any number
 * @throws Error with the number of attempts and the last failure
 */
export async function retry<T>(
  what: string,
  limit: number,
  attempt: () => Promise<T>,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<T> {
  for (let failed = 0, delay = FIRST_DELAY_MS; ; failed++, delay = Math.min(delay * BACKOFF, LONGEST_DELAY_MS)) {
    if (signal.aborted) throw new Error("context canceled");
    try {
      return await attempt();
    } catch (error) {
      if (limit > -1 && failed + 1 > limit)
        throw new Error(`after ${failed} failed attempts: ${(error as Error).message}`);
      log("info", `${what} ${failed + 1}/${limit === -1 ? "inf" : limit} failed: retrying`, { status: true });
      await sleep(delay, undefined, { signal }).catch(() => {});
    }
  }
}
