import fc from "fast-check";
import { expired, type Dated, type Keep } from "../../../lib/backup/retention.ts";
import { newestFirst, verifyLevels } from "../../../lib/snapshots/manifest.ts";

const hourMs = 3_600_000;
const start = Date.parse("2026-03-02T00:00:00Z"); // a Monday

const snapshot = (hours: number, change: Partial<Dated> = {}): Dated => ({
  id: `at-${hours}`,
  reason: "scheduled",
  clusterId: "c1",
  revision: String(1000 + Math.round(hours * 10)),
  createdAt: new Date(start + hours * hourMs).toISOString(),
  verified: { level: "status", at: new Date(start).toISOString() },
  ...change,
});
const hourly = (from: number, to: number): Dated[] => Array.from({ length: to - from }, (_, i) => snapshot(from + i));
const none: Keep = { last: 1, hourly: 0, daily: 0, weekly: 0 };
const hoursOf = (list: readonly Dated[]) => list.map(({ id }) => Number(id.slice(3)));
const kept = (list: readonly Dated[], keep: Keep) => {
  const gone = new Set(expired(list, keep));
  return hoursOf(list.filter((each) => !gone.has(each)));
};

describe("what is kept", () => {
  test("the newest so many", () => {
    expect(kept(hourly(0, 10), { ...none, last: 3 })).toEqual([7, 8, 9]);
  });

  test("the newest of each hour, day and week, each rule by itself", () => {
    const list = [...hourly(0, 24 * 21), snapshot(24 * 20 + 23.5)];
    expect(kept(list, { ...none, hourly: 3 })).toEqual([24 * 21 - 3, 24 * 21 - 2, 24 * 20 + 23.5]);
    expect(kept(list, { ...none, daily: 3 })).toEqual([24 * 19 - 1, 24 * 20 - 1, 24 * 20 + 23.5]);
    expect(kept(list, { ...none, weekly: 3 })).toEqual([24 * 7 - 1, 24 * 14 - 1, 24 * 20 + 23.5]);
  });

  test("hours without a snapshot do not count", () => {
    expect(kept([snapshot(0), snapshot(100), snapshot(200)], { ...none, hourly: 2 })).toEqual([100, 200]);
  });

  test("a year of hourly snapshots, thinned out after each one, stays within the rules and reaches back three whole weeks", () => {
    const keep = { last: 24, hourly: 24, daily: 7, weekly: 5 };
    let list: Dated[] = [];
    for (let hours = 0; hours < 24 * 365; hours++) {
      list.push(snapshot(hours));
      const gone = new Set(expired(list, keep));
      list = list.filter((each) => !gone.has(each));
      expect(list.length).toBeLessThanOrEqual(24 + 7 + 5);
    }
    const oldest = Math.min(...hoursOf(list));
    expect(24 * 365 - oldest).toBeGreaterThan(24 * 7 * 3);
  });

  test("the newest of each level of proof, however old it is", () => {
    const drilled = snapshot(1, { verified: { level: "restore", at: "2026-03-02T01:00:00Z" } });
    const merely = hourly(5, 9).map((each) => ({ ...each, verified: { ...each.verified, level: "sha" as const } }));
    expect(kept([snapshot(0), drilled, snapshot(3), snapshot(4), ...merely], none)).toEqual([1, 4, 8]);
  });

  test("what somebody asked for is neither deleted nor counted", () => {
    const asked = (["on-demand", "before-change", "emergency"] as const).map((reason, i) =>
      snapshot(20 + i, { reason }),
    );
    expect(kept([...hourly(0, 5), ...asked], { ...none, last: 2 })).toEqual([3, 4, 20, 21, 22]);
  });

  test("after the clock was a year ahead for one snapshot, the newest is still the newest", () => {
    const ahead = { ...snapshot(5), createdAt: "2027-03-02T05:00:00.000Z" };
    const list = [...hourly(0, 5), ahead, ...hourly(6, 9)];
    expect(kept(list, { ...none, last: 2 })).toEqual([7, 8]);
    expect(kept(list, { ...none, hourly: 4 })).toEqual([5, 6, 7, 8]);
  });

  test("after a restore the snapshots of the new cluster are the newest, whatever their revisions", () => {
    const restored = hourly(10, 12).map((each, i) => ({ ...each, clusterId: "c2", revision: String(i + 1) }));
    expect(kept([...hourly(0, 10), ...restored], { ...none, last: 3 })).toEqual([9, 10, 11]);
  });

  test("a clock that jumped does not make a former cluster the newest once what it dated is gone", () => {
    const dated = (hour: number, clusterId: string, revision: string) => ({ ...snapshot(hour), clusterId, revision });
    const proved = { verified: { level: "restore", at: "" } } as const;
    const list = [dated(1, "now", "9"), dated(5, "now", "8"), dated(3, "former", "7")];
    const all = [...list, { ...dated(2, "former", "6"), ...proved }];
    expect(kept(all, none)).toEqual([1, 5, 3, 2]);
    expect(kept(list, none)).toEqual([1]);
  });

  test("what is taken of the cluster that is there now stays, though a former one has times that are still to come", () => {
    const restored = hourly(0, 3).map((each) => ({ ...each, clusterId: "now", revision: "1" }));
    const gone = expired([...hourly(10, 14), ...restored], { ...none, last: 3 }, "now");
    expect(hoursOf(gone)).toEqual([10, 11, 12, 13]);
  });

  test("the oldest goes first", () => {
    expect(hoursOf(expired(hourly(0, 5).reverse(), none))).toEqual([0, 1, 2, 3]);
  });
});

const anySnapshots = fc
  .array(
    fc.record({
      reason: fc.constantFrom("scheduled", "scheduled", "scheduled", "on-demand", "before-change", "emergency"),
      clusterId: fc.constantFrom("c1", "c2"),
      revision: fc.nat(50).map(String),
      hours: fc.integer({ min: -5000, max: 5000 }),
      level: fc.constantFrom(...verifyLevels),
    }),
    { maxLength: 60 },
  )
  .map((list) =>
    list.map(({ hours, level, ...rest }, i): Dated => {
      const createdAt = new Date(start + hours * hourMs).toISOString();
      return { ...rest, id: `s${i}`, createdAt, verified: { level, at: createdAt } } as Dated;
    }),
  );
const anyKeep = fc.record({
  last: fc.integer({ min: 1, max: 9 }),
  hourly: fc.nat(9),
  daily: fc.nat(9),
  weekly: fc.nat(9),
});
const left = (list: readonly Dated[], keep: Keep) => {
  const gone = new Set(expired(list, keep));
  return list.filter((each) => !gone.has(each));
};
const scheduledOf = (list: readonly Dated[]) => newestFirst(list.filter(({ reason }) => reason === "scheduled"));

describe("whatever there is and whatever is to be kept", () => {
  const holds = (property: (list: Dated[], keep: Keep) => void) => () =>
    fc.assert(fc.property(anySnapshots, anyKeep, property), { numRuns: 500 });

  test(
    "the newest, and the newest of each level of proof, stay",
    holds((list, keep) => {
      const stays = left(list, keep);
      const scheduled = scheduledOf(list);
      for (const least of verifyLevels.keys()) {
        const newest = scheduled.find(({ verified }) => verifyLevels.indexOf(verified.level) >= least);
        if (newest !== undefined) expect(stays).toContain(newest);
      }
      expect(stays).toEqual(expect.arrayContaining(scheduled.slice(0, keep.last)));
    }),
  );

  test(
    "only scheduled ones go, and a second look finds nothing more",
    holds((list, keep) => {
      expect(expired(list, keep).every(({ reason }) => reason === "scheduled")).toBe(true);
      expect(expired(left(list, keep), keep)).toEqual([]);
    }),
  );

  test(
    "no more stay than the rules allow",
    holds((list, keep) => {
      const { last, hourly, daily, weekly } = keep;
      // One more for each further level of proof, and for each of two clusters.
      expect(scheduledOf(left(list, keep)).length).toBeLessThanOrEqual(last + hourly + daily + weekly + 2 + 2);
    }),
  );

  test(
    "the order they are listed in does not matter, and who keeps more loses nothing",
    holds((list, keep) => {
      const ids = (some: readonly Dated[]) => some.map(({ id }) => id).sort();
      const distinct = [
        ...new Map(list.map((each) => [`${each.clusterId} ${each.revision} ${each.createdAt}`, each])).values(),
      ];
      expect(ids(expired(distinct.toReversed(), keep))).toEqual(ids(expired(distinct, keep)));
      const more = { ...keep, daily: keep.daily + 3 };
      expect(ids(left(list, more))).toEqual(expect.arrayContaining(ids(left(list, keep))));
    }),
  );
});
