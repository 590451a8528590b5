import { bumpFor } from "../../../lib/restore/bump.ts";
import { clusterThere, refusals } from "../../../lib/restore/locks.ts";
import type { RestoreMarker } from "../../../lib/etcd/runtime/marker.ts";
import type { RestoreTarget } from "../../../lib/restore/target.ts";

const nothing: RestoreTarget = {
  clusters: [],
  unreadable: [],
  working: [],
  revision: 0n,
  answering: [],
  leaders: [],
  markers: {},
};
const locks = { generation: 1, replaceClusterId: "none", overwriteHealthy: false };
const said = (change: object, target: Partial<RestoreTarget> = {}) =>
  refusals({ ...locks, ...change }, { ...nothing, ...target }).map(({ property, reason }) => `${property}: ${reason}`);
const cluster = (id: string, evidence: string) => ({ id, evidence });

test("without any data there replaceClusterId has to be none", () => {
  expect(said({})).toEqual([]);
  expect(said({ replaceClusterId: "abc" })).toEqual([
    'replaceClusterId: got "abc", and there are no data of any cluster here; want "none"',
  ]);
});

test("members of several clusters are named with all of them", () => {
  const clusters = [cluster("beef", "etcd-1 answers"), cluster("abc", "data of etcd-0"), cluster("beef", "x")];
  expect(clusterThere({ ...nothing, clusters })).toBe("abc,beef");
  expect(said({ replaceClusterId: "abc,beef" }, { clusters })).toEqual([]);
});

test("data that cannot be read have a word of their own", () => {
  const unreadable = ["etcd-0", "etcd-2"];
  expect(said({}, { unreadable })).toEqual([
    'replaceClusterId: got "none", and there are data that cannot be read (etcd-0, etcd-2); set replaceClusterId to "unknown" if these data may go',
  ]);
  expect(said({ replaceClusterId: "unknown" }, { unreadable })).toEqual([]);
});

test("a generation that only was prepared may be done, one that was started may not", () => {
  const prepared = { generation: 3, preparedAt: "2026-11-21T10:00:00Z" } as RestoreMarker;
  const started = { ...prepared, startedAt: "2026-11-21T10:00:05Z" };
  expect(said({ generation: 3 }, { markers: { "etcd-0": prepared } })).toEqual([]);
  expect(said({ generation: 3 }, { markers: { "etcd-0": prepared, "etcd-1": started } })).toEqual([
    "generation: got 3, and generation 3 was restored on etcd-1 already (2026-11-21T10:00:05Z); for another restore want 4 or higher",
  ]);
  expect(said({ generation: 4 }, { markers: { "etcd-1": started } })).toEqual([]);
});

test("overwriteHealthy names, of several clusters, those that work", () => {
  const clusters = [cluster("beef", "etcd-1 answers"), cluster("abc", "etcd-3 answers")];
  const target = { clusters, working: ["abc"], revision: 7n };
  expect(said({ replaceClusterId: "abc,beef" }, target)).toEqual([
    "overwriteHealthy: cluster abc works (revision 7), and a restore takes it back in time; set overwriteHealthy to true if that is what you want",
  ]);
  expect(said({ replaceClusterId: "abc,beef", overwriteHealthy: true }, target)).toEqual([]);
});

test("revisions are put up by a thousand million at least, and by a fifth more than was lost", () => {
  expect(bumpFor(1000n, 0n)).toBe(1_000_000_000n);
  expect(bumpFor(1000n, 2000n)).toBe(1_000_000_000n);
  expect(bumpFor(1000n, 1_000_001_000n)).toBe(1_200_000_000n);
});
