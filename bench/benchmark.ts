/**
 * One figure the project promises. Files in bench/ export `benchmarks: Benchmark[]`, and `finish()` if these share
 * something that has to be removed at the end; main.ts runs them.
 */
export interface Benchmark {
  /** Its name on the command line and in the results: `toolchain-warm`. */
  readonly name: string;
  /** `s`, `MB`, `bytes`, ... Less is better in every one of them. */
  readonly unit: string;
  /** The most it may be. With a peer, `timesPeer` bounds the ratio as well. */
  readonly goal: number;
  /** The most that ours may be as a multiple of the peer's. @default no bound */
  readonly timesPeer?: number;
  /** How often each side runs; the median counts. @default 3, or 1 when a run takes minutes */
  readonly runs?: number;
  /** Prepares the first run; returns what undoes it. */
  prepare?(): Promise<() => Promise<void>>;
  /** One run of ours: the figure in `unit`. */
  ours(): Promise<number>;
  /** One run of the tool a user would take instead, in turn with ours. */
  peer?(): Promise<number>;
}

export interface Result {
  readonly value: number;
  readonly unit: string;
  readonly peer: number | null;
  readonly ratio: number | null;
  readonly goal: number;
  readonly met: boolean;
}

/** Seconds a piece of work takes. */
export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

/** Runs one benchmark, ours and the peer in turn. */
export async function measure(benchmark: Benchmark): Promise<Result> {
  const undo = await benchmark.prepare?.();
  try {
    const ours: number[] = [];
    const peer: number[] = [];
    for (let run = 0; run < (benchmark.runs ?? 3); run++) {
      ours.push(await benchmark.ours());
      if (benchmark.peer) peer.push(await benchmark.peer());
    }
    const value = median(ours);
    const other = peer.length > 0 ? median(peer) : null;
    const ratio = other === null ? null : value / other;
    const met = value <= benchmark.goal && (benchmark.timesPeer === undefined || (ratio ?? 0) <= benchmark.timesPeer);
    return { value, unit: benchmark.unit, peer: other, ratio, goal: benchmark.goal, met };
  } finally {
    await undo?.();
  }
}

/** The median. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** What `npm start` calls `pulumi up` with: an `up` is measured as people have it. */
export const startOptions = ["--continue-on-error", "--parallel", "32"] as const;
