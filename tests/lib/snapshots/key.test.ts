import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encryptionKey } from "../../../lib/snapshots/key.ts";

const directory = mkdtempSync(join(tmpdir(), "snapshot-key-"));
const path = join(directory, "key");
const base64 = Buffer.alloc(32, 7).toString("base64");
afterAll(() => rmSync(directory, { recursive: true }));

const fromFile = (text: string, mode: number) => {
  writeFileSync(path, text);
  chmodSync(path, mode);
  return encryptionKey({ kind: "key-file", path });
};

test("a key is the same from a file or a variable, as base64 or hexadecimal", () => {
  process.env["SNAPSHOT_TEST_KEY"] = Buffer.alloc(32, 7).toString("hex");
  const key = fromFile(`${base64}\n`, 0o600);
  expect(key?.bytes.equals(Buffer.alloc(32, 7))).toBe(true);
  expect(encryptionKey({ kind: "environment", variable: "SNAPSHOT_TEST_KEY" })).toEqual(key);
  expect(key?.keyId).toMatch(/^[0-9a-f]{16}$/);
});

test.each([0o644, 0o640, 0o604])("a file of mode %o, which others may read, is refused", (mode) => {
  expect(() => fromFile(base64, mode)).toThrow(
    `encryption key ${path}: its mode is 0${mode.toString(8)}, so others may read it\nrun: chmod 600 ${path}`,
  );
});

test("what is not a key is refused without being repeated", () => {
  const wrong = "a-password";
  const message = expect.not.stringContaining(wrong) as unknown;
  expect(() => fromFile(wrong, 0o600)).toThrow("is not 32 bytes as base64 or hexadecimal");
  expect(() => fromFile(wrong, 0o600)).toThrow(expect.objectContaining({ message }) as never);
});

test("a file or variable that is not there is named", () => {
  expect(() => encryptionKey({ kind: "key-file", path: join(directory, "none") })).toThrow(
    `encryption key ${join(directory, "none")}: there is no such file`,
  );
  expect(() => encryptionKey({ kind: "environment", variable: "SNAPSHOT_NO_KEY" })).toThrow(
    "encryption key in $SNAPSHOT_NO_KEY: the variable is not set",
  );
});
