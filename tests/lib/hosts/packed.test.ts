import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { withPacked, type Packed } from "../../../lib/hosts/packed.ts";

let directory: string;
let file: string;
const content = Buffer.from("what repeats is packed; ".repeat(100_000));

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "packed-"));
  file = join(directory, "program");
  writeFileSync(file, content);
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

test("a file is packed once for all who send it at the same time, and anew for who comes later", async () => {
  const given = await Promise.all([1, 2, 3].map(() => withPacked(file, async (packed) => packed)));
  expect(new Set(given).size).toBe(1);
  expect(unpacked(given[0]!).equals(content)).toBe(true);
  expect(Buffer.concat(given[0]!).length).toBeLessThan(content.length / 10);
  writeFileSync(file, "other content");
  expect(await withPacked(file, async (packed) => unpacked(packed).toString())).toBe("other content");
});

test("what could not be read is said, and tried again by the next one", async () => {
  rmSync(file);
  await expect(withPacked(file, async () => "sent")).rejects.toThrow(/ENOENT.*program/);
  writeFileSync(file, content);
  expect(await withPacked(file, async () => "sent")).toBe("sent");
});

const unpacked = (packed: Packed) => zstdDecompressSync(Buffer.concat(packed));
