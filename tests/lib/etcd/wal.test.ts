import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clusterIdOfData } from "../../../lib/etcd/wal.ts";

const directory = mkdtempSync(join(tmpdir(), "wal-"));
const file = join(directory, "member", "wal", "0000000000000000-0000000000000000.wal");
afterAll(() => rmSync(directory, { recursive: true }));

// Real data are read in tests/providers/etcd-restore.test.ts; these are the ones no etcd would give.
test.each([
  ["no file", undefined],
  ["an empty file", Buffer.alloc(0)],
  ["nothing but zeros", Buffer.alloc(4096)],
  ["a length beyond the end", Buffer.from("ffffffffffffff00", "hex")],
  ["noise", Buffer.from("0a000000000000000affffffffffffffffff", "hex")],
])("%s has no cluster", (_, content) => {
  mkdirSync(join(directory, "member", "wal"), { recursive: true });
  if (content !== undefined) writeFileSync(file, content);
  expect(clusterIdOfData(directory)).toBeUndefined();
});
