/** Limits requests to a rate, with a burst at the start, as client-go does. */
export class Throttle {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #at = performance.now();

  /** @param perSecond negative: no limit */
  constructor({ perSecond, burst }: { perSecond: number; burst: number }) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
  }

  /** Waits until a request may be sent. */
  async take(signal?: AbortSignal): Promise<void> {
    if (this.#perSecond < 0) return;
    const now = performance.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) / 1000) * this.#perSecond) - 1;
    this.#at = now;
    if (this.#tokens >= 0) return;
    const ms = (-this.#tokens / this.#perSecond) * 1000;
    await new Promise((resolve) => setTimeout(resolve, ms));
    signal?.throwIfAborted();
  }
}
