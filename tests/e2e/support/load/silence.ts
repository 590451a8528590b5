/** The longest time in which nothing was heard. */
export class Silence {
  #last = performance.now();
  #longest = 0;

  /** Something was heard. */
  end(): void {
    const now = performance.now();
    this.#longest = Math.max(this.#longest, now - this.#last);
    this.#last = now;
  }

  /** From now on counts. */
  begin(): void {
    this.#last = performance.now();
    this.#longest = 0;
  }

  /** Seconds, the present silence included. */
  longest(): number {
    return Math.max(this.#longest, performance.now() - this.#last) / 1000;
  }
}
