import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { withPacked, type Packed } from "../../../lib/hosts/packed.ts";

let directory: string;
let file: string;
const content = Buffer.from("what repeats is packed; ".repeat(100_000));
const digestOf = (content: Buffer | string) => createHash("sha256").update(content).digest("hex");
const sha256 = digestOf(content);

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "packed-"));
  file = join(directory, "program");
  writeFileSync(file, content);
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

test("a file is packed once for all who send it at the same time, and anew for who comes later", async () => {
  const given = await Promise.all([1, 2, 3].map(() => withPacked(file, sha256, async (packed) => packed)));
  expect(new Set(given).size).toBe(1);
  expect(unpacked(given[0]!).equals(content)).toBe(true);
  expect(Buffer.concat(given[0]!).length).toBeLessThan(content.length / 10);
  writeFileSync(file, "other content");
  const later = await withPacked(file, digestOf("other content"), async (packed) => unpacked(packed).toString());
  expect(later).toBe("other content");
});

test("what cannot be read, or is another file by now, is said and not sent", async () => {
  rmSync(file);
  const send = () => withPacked(file, sha256, async () => "sent");
  await expect(send()).rejects.toThrow(/ENOENT.*program/);
  writeFileSync(file, "something else");
  await expect(send()).rejects.toThrow(`${file}: its SHA-256 is ${digestOf("something else").slice(0, 12)}, want`);
  writeFileSync(file, content);
  expect(await send()).toBe("sent");
});

const unpacked = (packed: Packed) => zstdDecompressSync(Buffer.concat(packed));
