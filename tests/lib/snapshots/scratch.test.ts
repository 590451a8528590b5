import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
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

test("what a killed run has left there goes after an hour; where anything is still written, it stays", async () => {
  const base = join(directory, "shared");
  const old = new Date(Date.now() - 61 * 60_000);
  for (const name of ["karmada-snapshot-left", "karmada-snapshot-used", "of-somebody-else"]) {
    mkdirSync(join(base, name, "drill"), { recursive: true });
    writeFileSync(join(base, name, "drill", "db"), "");
    if (name !== "karmada-snapshot-used") utimesSync(join(base, name, "drill", "db"), old, old);
    for (const path of ["drill", "."]) utimesSync(join(base, name, path), old, old);
  }
  await withScratch(base, async () => {});
  expect(readdirSync(base).sort()).toEqual(["karmada-snapshot-used", "of-somebody-else"]);
});
