/** Does every step in turn, also when one before it failed; fails with the first failure. For `afterAll`. */
export async function cleanUp(...steps: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
