import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readJson, writeAtomically } from "../../lib/atomic-file.ts";

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), "atomic-"))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it("writes for the owner only, directories too, and leaves nothing beside", () => {
  const path = join(directory, "pki", "tls.key");
  expect(writeAtomically(path, "key")).toBe(true);
  expect(readFileSync(path, "utf8")).toBe("key");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(directory, "pki")).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(directory, "pki"))).toEqual(["tls.key"]);
});

it("does not touch a file that is as it shall be", () => {
  const path = join(directory, "a");
  writeAtomically(path, "same");
  const { ino, ctimeMs } = statSync(path);
  expect(writeAtomically(path, "same")).toBe(false);
  expect(statSync(path)).toMatchObject({ ino, ctimeMs });
});

it("repairs permissions without writing the content again", () => {
  const path = join(directory, "a");
  writeAtomically(path, "same");
  const { ino } = statSync(path);
  chmodSync(path, 0o644);
  expect(writeAtomically(path, "same")).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(path).ino).toBe(ino);
});

it("half a JSON file reads as none", () => {
  writeAtomically(join(directory, "a"), '{"pid": 1');
  expect(readJson(join(directory, "a"))).toBeUndefined();
});
