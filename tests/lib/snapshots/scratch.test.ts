import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withScratch } from "../../../lib/snapshots/scratch.ts";

const directory = mkdtempSync(join(tmpdir(), "scratch-"));
afterAll(() => rmSync(directory, { recursive: true }));

test("a scratch directory that is not there yet is made", async () => {
  const base = join(directory, "large", "disk");
  expect(await withScratch(base, async (scratch) => existsSync(scratch))).toBe(true);
  expect(readdirSync(base)).toEqual([]);
});
