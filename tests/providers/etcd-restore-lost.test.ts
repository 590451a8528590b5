import { lost } from "../../providers/etcd-restore-plan.ts";

test("what a restore loses is told where revisions tell it", () => {
  expect(lost("100", { revision: 120n })).toEqual(["20 revisions after it are lost; the number goes on above 120"]);
  expect(lost(undefined, { revision: 120n })).toEqual([]);
});

test("nothing is told of a cluster that does not answer, or has not come so far as the snapshot", () => {
  expect(lost("100", { revision: 0n })).toEqual([]);
  expect(lost("100", { revision: 7n })).toEqual([]);
});
