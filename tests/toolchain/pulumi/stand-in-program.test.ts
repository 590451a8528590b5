/** The programs of stand-ins as one file each, made from the sources of this checkout. */
import { readFile, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { standInProgram } from "../../../toolchain/pulumi/stand-in-program.ts";

const checkout = join(import.meta.dirname, "../../..");

test("it is made once for a state of the sources, and anew when one of them changes", async () => {
  const path = await standInProgram("random");
  expect(path).toBe(join(checkout, ".pulumi/home/programs/random.mjs"));
  const [first, { mtimeMs }] = await Promise.all([readFile(path, "utf8"), stat(path)]);
  expect(first).toMatch(/^\/\/ [0-9a-f]{64}\n/);
  expect([await standInProgram("random"), (await stat(path)).mtimeMs]).toEqual([path, mtimeMs]);

  const source = join(checkout, "toolchain/plugins/random/main.ts");
  const before = await stat(source);
  try {
    await utimes(source, before.atime, new Date(before.mtimeMs + 1000));
    await standInProgram("random");
    const second = await readFile(path, "utf8");
    expect(second.slice(0, 67)).not.toBe(first.slice(0, 67));
    expect(second.slice(67)).toBe(first.slice(67));
  } finally {
    await utimes(source, before.atime, before.mtime);
  }
});
