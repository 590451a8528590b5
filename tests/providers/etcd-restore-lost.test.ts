import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lost, planRestore, searchedHere } from "../../providers/etcd/restore-plan.ts";
import { latestIn } from "../lib/snapshots/support.ts";

test("what a restore loses is told where revisions tell it, in the plan without what changes all the time", () => {
  const sentence = "what was written after revision 100 is lost";
  const soFar = (count: number, revision: number) =>
    `${count} revisions are lost so far; the number goes on above ${revision}`;
  expect(lost("100", { revision: 100n })).toEqual({ sentence, soFar: soFar(0, 100) });
  expect(lost("100", { revision: 120n })).toEqual({ sentence, soFar: soFar(20, 120) });
  expect(lost(undefined, { revision: 120n })).toBeUndefined();
});

test("nothing is told of a cluster that does not answer, or has not come so far as the snapshot", () => {
  expect(lost("100", { revision: 0n })).toBeUndefined();
  expect(lost("100", { revision: 7n })).toBeUndefined();
});

test("a directory that hosts have as well is said to be searched on this machine", async () => {
  const directory = mkdtempSync(join(tmpdir(), "searched-"));
  const source = latestIn(directory);
  const hosts = { kind: "hosts", members: {}, hosts: [] } as const;
  const inputs = { ...hostless, source, runtime: hosts };
  const { problems = [] } = await planRestore(inputs, { inputs: undefined, outputs: undefined } as never);
  rmSync(directory, { recursive: true });
  const elsewhere = `${directory} is searched on this machine; what the schedule took into it lies on the host that took it`;
  expect(problems).toContainEqual({
    property: "source",
    reason: `file://${directory}/prod: there is no snapshot of prod; ${elsewhere}`,
  });
  expect(searchedHere({ source, runtime: { kind: "local", directory } })).toEqual([]);
  expect(searchedHere({ source: { ...source, target: { kind: "nfs", directory } }, runtime: hosts })).toEqual([]);
});

const hostless = {
  cluster: "prod",
  members: [],
  etcdVersion: "3.6.6",
  generation: 1,
  replaceClusterId: "none",
  overwriteHealthy: false,
  allowForeignSnapshot: false,
  programs: [],
};
