import { PassThrough } from "node:stream";
import { essentials, type EtcdNow, etcdNow } from "../../cli/stack/etcd-now.ts";
import { etcdTable } from "../../cli/stack/etcd-table.ts";

type Member = EtcdNow["members"][number];
const member = (name: string, more: Partial<Member> = {}): Member => ({
  ...{ name, id: "1f", clientUrls: [], peerUrls: [], learner: false, role: "follower", leader: false, healthy: true },
  ...{ version: "3.6.6", storageVersion: "3.6.0", raftIndex: 9, raftAppliedIndex: 9, lag: 0, fragmentation: 0 },
  ...{ dbSize: 20480, dbSizeInUse: 16384, dbSizeQuota: 8 * 2 ** 30, alarms: [] },
  ...more,
});
const down = {
  role: "unknown",
  healthy: false,
  version: "",
  dbSize: 0,
  problem: "https://10.0.0.2:2379: refused",
} as const;
const degraded: EtcdNow = {
  ...{ name: "etcd", state: "Degraded", tolerates: 0, silent: ["https://10.0.0.2:2379: refused"] },
  strayAlarms: [],
  members: [member("etcd-0", { role: "leader", lag: 3 }), member("etcd-1", { ...down, alarms: ["NOSPACE"] })],
};

test("members of etcd are a table, and what is not healthy says why below it", () => {
  expect(etcdTable(degraded, new PassThrough())).toBe(
    `etcd: Degraded, 0 may be lost
MEMBER  ROLE     VERSION  HEALTHY  BEHIND  DATABASE       ALARMS
etcd-0  leader   3.6.6    True     3       1Mi of 8192Mi  none
etcd-1  unknown  -        False    -       -              NOSPACE

etcd-1: https://10.0.0.2:2379: refused
`,
  );
});

test("an alarm of a member that is gone stops writes like any other, and is said below", () => {
  const well: EtcdNow = { ...degraded, state: "Healthy", members: [member("etcd-0")], silent: [] };
  const stray: EtcdNow = { ...well, state: "Corrupt", strayAlarms: [{ id: "1e9", alarm: "CORRUPT" }] };
  expect(etcdTable(stray, new PassThrough())).toBe(
    `etcd: Corrupt, 0 may be lost
MEMBER  ROLE      VERSION  HEALTHY  BEHIND  DATABASE       ALARMS
etcd-0  follower  3.6.6    True     0       1Mi of 8192Mi  none

alarm CORRUPT of 1e9, no member any more
`,
  );
  expect(essentials([stray])).not.toEqual(essentials([{ ...well, state: "Corrupt" }]));
});

test("where nobody answers, what was heard instead is said", () => {
  const gone: EtcdNow = { ...degraded, name: "events", state: "Unreachable", members: [] };
  expect(etcdTable(gone, new PassThrough())).toBe(
    "events: Unreachable, 0 may be lost\n\nhttps://10.0.0.2:2379: refused\n",
  );
});

test("sizes and positions are nothing to tell of when they change, a lost member is", () => {
  const well: EtcdNow = { ...degraded, members: [member("etcd-0")] };
  const later: EtcdNow = { ...well, members: [member("etcd-0", { dbSize: 1e9, raftIndex: 10, lag: 1 })] };
  const lost: EtcdNow = { ...well, members: [member("etcd-0", down)] };
  expect(essentials([later])).toEqual(essentials([well]));
  expect(essentials([lost])).not.toEqual(essentials([well]));
});

test("a stack that has no etcd yet has nothing to tell of", async () => {
  expect(await etcdNow(undefined)).toEqual([]);
});
