import { parseArgs } from "node:util";

/** Bytes of the database that a benchmark works on: `--db-size 1.5` in GB. @default 1 */
export function databaseBytes(): number {
  const { values } = parseArgs({ options: { "db-size": { type: "string" } }, strict: false });
  const gigabytes = Number(values["db-size"] ?? 1);
  if (!(gigabytes > 0)) throw new Error(`--db-size: got "${String(values["db-size"])}", want a number of GB`);
  return gigabytes * 1e9;
}
