import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endOf } from "../../../cli/support/local-logs.ts";
import { Tail } from "../../../cli/support/tail.ts";

let directory: string;
let log: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "logs-"));
  log = join(directory, "a.log");
});
afterEach(() => rm(directory, { recursive: true }));

/** Lines of eight bytes. */
const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `line${String(from + i).padStart(3, "0")}\n`).join("");

test("the end of a log goes back into what was rotated out of it, in whole lines and no more than wanted", async () => {
  await writeFile(`${log}.2`, lines(0, 10));
  await writeFile(`${log}.1`, lines(10, 20));
  await writeFile(log, lines(20, 25));
  expect(await endOf(log, 3600)).toBe(lines(0, 25));
  expect(await endOf(log, 3600, 8 * 15)).toBe(lines(10, 25));
  expect(await endOf(log, 3600, 8 * 17 + 3)).toBe(lines(8, 25));
  expect(await endOf(log, 3600, 8 * 2)).toBe(lines(23, 25));
});

test("files that nobody has written to since then are left out", async () => {
  await writeFile(`${log}.1`, "old\n");
  await writeFile(log, "new\n");
  const long = new Date(Date.now() - 7200_000);
  await utimes(`${log}.1`, long, long);
  expect(await endOf(log, 3600)).toBe("new\n");
  await utimes(log, long, long);
  expect(await endOf(log, 3600)).toBe("");
  expect(await endOf(join(directory, "none.log"), 3600)).toBe("");
});

test("the end of a stream is kept, however it comes, and a character is never half", () => {
  for (const step of [1, 3, 1000]) {
    const tail = new Tail(20);
    const all = Buffer.from("ä\n".repeat(50));
    for (let at = 0; at < all.length; at += step) tail.write(all.subarray(at, at + step));
    expect(tail.text).toBe("ä\n".repeat(6));
  }
  const short = new Tail(20);
  short.write(Buffer.from("no end of line"));
  expect(short.text).toBe("no end of line");
});
