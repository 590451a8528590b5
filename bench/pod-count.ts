import { parseArgs } from "node:util";

/** How many pods the benchmark of failover moves: `--pods 40000`. @default 4000 */
export function podCount(): number {
  const { values } = parseArgs({ options: { pods: { type: "string" } }, strict: false });
  const count = Number(values["pods"] ?? 4000);
  if (!(Number.isInteger(count) && count >= 100 && count % 100 === 0)) {
    throw new Error(`--pods: got "${String(values["pods"])}", want a multiple of 100`);
  }
  return count;
}
