import { setTimeout as sleep } from "node:timers/promises";
import { TransferProgress } from "../../../lib/hosts/transfer-progress.ts";

const piece = Buffer.alloc(3_000_000);

test("what is long on its way is told of with how far it is, from its start when it begins anew", async () => {
  const said: string[] = [];
  const progress = new TransferProgress(
    "host1 (10.0.0.11): sending etcd",
    9_000_000,
    (sentence) => said.push(sentence),
    0.05,
  );
  const first = progress.through([piece, piece, piece]).iterator();
  await first.next();
  await first.next();
  while (said.length === 0) await sleep(5);
  expect(said.at(-1)).toMatch(/^host1 \(10\.0\.0\.11\): sending etcd: [3-9] of 9 MB$/);
  const again: Buffer[] = [];
  for await (const each of progress.through([piece, piece, piece])) again.push(each as Buffer);
  expect(Buffer.concat(again).length).toBe(9_000_000);
  said.length = 0;
  while (said.length === 0) await sleep(5);
  expect(said).toEqual(["host1 (10.0.0.11): sending etcd: 9 of 9 MB"]);
  progress.end();
  said.length = 0;
  await sleep(120);
  expect(said).toEqual([]);
});

test("a transfer that ends soon is not reported", async () => {
  const said: string[] = [];
  const progress = new TransferProgress("x", 1, (sentence) => said.push(sentence));
  for await (const each of progress.through([piece])) expect(each).toBe(piece);
  progress.end();
  expect(said).toEqual([]);
});
