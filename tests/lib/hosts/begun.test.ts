import { execFileSync } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterBegin, begin, sinkAfterBegin } from "../../../lib/hosts/begun.ts";

const said = (script: string): string => execFileSync("sh", ["-c", script]).toString();

test("what a login shell said before a script is nothing of what the script wrote", () => {
  expect(afterBegin(said(`printf 'Welcome to '; echo host1; ${begin}; echo answer`))).toBe("answer\n");
  expect(afterBegin(said(`${begin}`))).toBe("");
  expect(afterBegin("Welcome\n")).toBeUndefined();
});

test("nor of data, in whatever pieces they come", async () => {
  const data = Buffer.from([0, 255, 10, 66, 0]);
  const whole = Buffer.concat([Buffer.from("Welcome\nbegun-"), Buffer.from(said(begin)), data, data]);
  for (const size of [1, 7, whole.length]) {
    const pieces: Buffer[] = [];
    for (let at = 0; at < whole.length; at += size) pieces.push(whole.subarray(at, at + size));
    const got: Buffer[] = [];
    const sink = new Writable({ write: (piece: Buffer, _, done) => (got.push(piece), done()) });
    await pipeline(Readable.from(pieces), sinkAfterBegin(() => sink)());
    expect(Buffer.concat(got)).toEqual(Buffer.concat([data, data]));
    expect(sink.writableFinished).toBe(true);
  }
});

test("a disk that is full is heard of", async () => {
  const full = () =>
    new Writable({
      write: (_piece, _encoding, done) => done(new Error("ENOSPC: no space left on device")),
    });
  const pieces = [Buffer.from(said(begin)), Buffer.from("data")];
  await expect(pipeline(Readable.from(pieces), sinkAfterBegin(full)())).rejects.toThrow("no space left");
});
