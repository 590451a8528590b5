import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { filesCommand } from "../../../../lib/etcd/kubernetes-files-pod.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "in-pod-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const at = (name: string) => join(directory, name);
const content = randomBytes(300_000);
const sha256 = createHash("sha256").update(content).digest("hex");

/** As a pod runs it: with nothing but Node.js. */
const run = (...args: (string | number)[]) => {
  const [, ...rest] = filesCommand(...args);
  return execa(process.execPath, rest, { cwd: directory, reject: false, encoding: "buffer", timeout: 20_000 });
};
const said = (bytes: Uint8Array) => Buffer.from(bytes).toString().trim();

test("a file that is brought is there once it is whole, though more may follow", async () => {
  const receiving = run("receive", at("snapshot.db"), content.length, sha256);
  receiving.stdin?.write(content); // left open
  const { exitCode } = await receiving;
  expect(exitCode).toBe(0);
  expect(readFileSync(at("snapshot.db")).equals(content)).toBe(true);
});

test("one that is cut off or changed is not there, and what came is said", async () => {
  const cut = run("receive", at("snapshot.db"), content.length, sha256);
  cut.stdin?.end(content.subarray(0, 1000));
  const first = await cut;
  expect([first.exitCode, said(first.stderr)]).toEqual([1, "1000 bytes came, want 300000"]);
  const changed = run("receive", at("snapshot.db"), content.length, "0".repeat(64));
  changed.stdin?.end(content);
  expect(said((await changed).stderr)).toBe(`the SHA-256 of what came is ${sha256}, want ${"0".repeat(64)}`);
  expect(existsSync(at("snapshot.db"))).toBe(false);
});

test("who waits for a file removes what was begun before, and ends when it is there, or in time", async () => {
  mkdirSync(at("2/member"), { recursive: true });
  const waiting = run("await", at("snapshot.db"), at("2"), 20);
  while (existsSync(at("2"))) await new Promise((resolve) => setTimeout(resolve, 20));
  writeFileSync(at("snapshot.db"), "");
  expect((await waiting).exitCode).toBe(0);
  const none = await run("await", at("never"), at("2"), 0.2);
  expect([none.exitCode, said(none.stderr)]).toEqual([1, `nobody has brought ${at("never")} in 0.2 s`]);
});

test("who waits goes on waiting until the one that brings has ended: its end would be taken for a failure", async () => {
  const waiting = run("await", at("snapshot.db"), at("2"), 20);
  const bringing = execa("sleep", ["1"]);
  writeFileSync(at("snapshot.db.bringer"), String(bringing.pid));
  writeFileSync(at("snapshot.db"), "");
  let hasEnded = false;
  void bringing.then(() => (hasEnded = true));
  expect((await waiting).exitCode).toBe(0);
  expect(hasEnded).toBe(true);
});

test("a file is sent as it is, to its last byte also to who reads it slowly", async () => {
  const large = randomBytes(1_000_000);
  writeFileSync(at("db"), large);
  const [, ...rest] = filesCommand("send", at("db"));
  const sending = execa(process.execPath, rest, { cwd: directory, buffer: false, reject: false, timeout: 20_000 });
  const got: Buffer[] = [];
  for await (const chunk of sending.stdout as AsyncIterable<Buffer>) {
    got.push(chunk);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect([(await sending).exitCode, Buffer.concat(got).equals(large)]).toEqual([0, true]);
  const missing = await run("send", at("nothing"));
  expect([missing.exitCode, said(missing.stderr)]).toEqual([1, expect.stringContaining("ENOENT")]);
});
