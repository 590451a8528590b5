/** Numbers from 0 to 1 that look random, and come again with the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The seed that `KARMADA_TEST_SEED` gives, to have a run again; or any. */
export const testSeed = (): number => Number(process.env["KARMADA_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 32));
