/** Seconds a program must have run for its next exit to be counted as the first one again. */
const settledSeconds = 30;

const firstSeconds = 1;
const longestSeconds = 30;

/** How long to wait before a program is started again: 1 s, doubled with each quick exit, never more than 30 s. */
export class Backoff {
  /** Exits in a row that came before the program had settled. */
  quickExits = 0;

  /** @returns seconds to wait after an exit of a program that had run for so long. */
  next(ranForSeconds: number): number {
    this.quickExits = ranForSeconds >= settledSeconds ? 0 : this.quickExits + 1;
    return Math.min(firstSeconds * 2 ** Math.max(0, this.quickExits - 1), longestSeconds);
  }

  reset(): void {
    this.quickExits = 0;
  }
}
