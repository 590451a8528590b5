import { setTimeout as sleep } from "node:timers/promises";

const RETRIES = 5;

/** Tries again after 1, 2, 4, 8 and 16 s, as long as `again` says so of the error. */
export async function retry<T>(
  attempt: (count: number) => Promise<T>,
  again: (error: unknown) => boolean,
  signal: AbortSignal,
): Promise<T> {
  for (let count = 0; ; count++) {
    try {
      return await attempt(count);
    } catch (error) {
      if (count >= RETRIES || !again(error)) throw error;
    }
    await sleep(1000 * 2 ** count, undefined, { signal });
  }
}
