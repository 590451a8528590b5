import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { Stall } from "../../../lib/hosts/stall.ts";

async function* slowly(pieces: number, milliseconds: number) {
  for (let i = 0; i < pieces; i++) {
    await sleep(milliseconds);
    yield Buffer.from("data");
  }
}

test("what goes on is not given up, however long it takes", async () => {
  const stall = new Stall(0.4);
  for await (const piece of stall.through(Readable.from(slowly(10, 100)))) void piece;
  expect(stall.signal.aborted).toBe(false);
  stall.end();
});

test("a stream without progress is given up", async () => {
  const stall = new Stall(0.2);
  const data = stall.through(Readable.from(slowly(1, 0)))[Symbol.asyncIterator]();
  await data.next();
  await sleep(500);
  expect(stall.signal.aborted).toBe(true);
});

test("a stream that has ended is not given up any more", async () => {
  const stall = new Stall(0.1);
  stall.end();
  await sleep(300);
  expect(stall.signal.aborted).toBe(false);
});
