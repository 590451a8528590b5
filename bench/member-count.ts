import { parseArgs } from "node:util";

/** How many members a benchmark of members joins: `--members 20`. @default 50 */
export function memberCount(): number {
  const { values } = parseArgs({ options: { members: { type: "string" } }, strict: false });
  const count = Number(values["members"] ?? 50);
  if (!(Number.isInteger(count) && count >= 10)) {
    throw new Error(`--members: got "${String(values["members"])}", want a whole number from 10 on`);
  }
  return count;
}
