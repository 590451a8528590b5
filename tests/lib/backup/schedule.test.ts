import fc from "fast-check";
import { type History, Schedule } from "../../../lib/backup/schedule.ts";

const at = (text: string) => new Date(`2026-03-${text}Z`);
const hourly = new Schedule({ cron: "0 * * * *", jitterSeconds: 0, name: "prod" });
const ran = (due: Date, failures = 0, ended = new Date(due.getTime() + 5000)): History => ({ due, failures, ended });

describe("when a backup is due", () => {
  test("the very first one at once", () => {
    expect(hourly.due(undefined, at("02T10:20:00"))).toEqual(at("02T10:00:00"));
  });

  test("at its moment, not before and not again after", () => {
    const history = ran(at("02T10:00:00"));
    expect(hourly.due(history, at("02T10:59:59.999"))).toBeUndefined();
    expect(hourly.next(history, at("02T10:20:00"))).toEqual(at("02T11:00:00"));
    expect(hourly.due(history, at("02T11:00:00"))).toEqual(at("02T11:00:00"));
    expect(hourly.due(ran(at("02T11:00:00")), at("02T11:00:00"))).toBeUndefined();
  });

  test("what a sleeping machine has missed is made up once", () => {
    const due = hourly.due(ran(at("02T10:00:00")), at("04T07:30:00"));
    expect(due).toEqual(at("04T07:00:00"));
    expect(hourly.due(ran(due!), at("04T07:31:00"))).toBeUndefined();
  });

  test("a clock that is set back a little repeats nothing", () => {
    const history = ran(at("02T11:00:00"));
    expect(hourly.due(history, at("02T10:59:57"))).toBeUndefined();
    expect(hourly.next(history, at("02T10:59:57"))).toEqual(at("02T12:00:00"));
  });

  test("a clock that was years ahead does not stop backups until then", () => {
    const history = ran(new Date("2031-01-01T00:00:00Z"));
    const due = hourly.due(history, at("02T10:20:00"));
    expect(due).toEqual(at("02T10:00:00"));
    expect(hourly.due(ran(due!), at("02T10:21:00"))).toBeUndefined();
  });

  test("a failed one is tried again after 1, 2, 4 minutes and at most half an hour, and when the next one is due", () => {
    const due = at("02T10:00:00");
    for (const [failures, wait] of [
      [1, 1],
      [2, 2],
      [3, 4],
      [6, 30],
      [40, 30],
    ] as const) {
      const history = ran(due, failures, due);
      const again = new Date(due.getTime() + wait * 60_000);
      expect(hourly.next(history, due)).toEqual(again);
      expect(hourly.due(history, new Date(again.getTime() - 1))).toBeUndefined();
      expect(hourly.due(history, again)).toEqual(due);
    }
    expect(hourly.next(ran(due, 9, at("02T10:40:00")), at("02T10:41:00"))).toEqual(at("02T11:00:00"));
  });

  test("by UTC, whatever the machine's time zone does in spring", () => {
    const daily = new Schedule({ cron: "30 2 * * *", jitterSeconds: 0, name: "prod" });
    expect(daily.after(at("29T00:00:00"))).toEqual(at("29T02:30:00"));
    expect(daily.after(at("29T02:30:00"))).toEqual(at("30T02:30:00"));
  });
});

describe("backups are overdue", () => {
  test("when two were due since the newest snapshot", () => {
    expect(hourly.isOverdue(at("02T10:00:03"), at("02T11:59:59"))).toBe(false);
    expect(hourly.isOverdue(at("02T10:00:03"), at("02T12:00:00"))).toBe(true);
  });

  test("when the newest snapshot is of a time that is still to come by more than one due moment", () => {
    expect(hourly.isOverdue(at("02T10:50:00"), at("02T10:00:00"))).toBe(false);
    expect(hourly.isOverdue(at("02T11:00:01"), at("02T10:00:00"))).toBe(true);
  });

  test("by the schedule, not by an average: a weekend is no delay", () => {
    const workdays = new Schedule({ cron: "0 20 * * 1-5", jitterSeconds: 0, name: "prod" });
    expect(workdays.isOverdue(at("06T20:00:10"), at("09T19:00:00"))).toBe(false); // Friday to Monday
    expect(workdays.isOverdue(at("03T20:00:10"), at("06T19:00:00"))).toBe(true);
  });
});

describe("jitter", () => {
  const settings = (name: string, jitterSeconds = 600) => ({ cron: "0 * * * *", jitterSeconds, name });
  const delay = (name: string) =>
    new Schedule(settings(name)).after(at("02T10:30:00")).getTime() - at("02T11:00:00").getTime();

  test("is the same each time for a deployment, and spreads deployments over its length", () => {
    const delays = Array.from({ length: 200 }, (_, i) => delay(`deployment-${i}`));
    expect(delays).toEqual(Array.from({ length: 200 }, (_, i) => delay(`deployment-${i}`)));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThan(600_000);
    for (let part = 0; part < 10; part++) {
      expect(delays.filter((each) => Math.floor(each / 60_000) === part).length).toBeGreaterThan(5);
    }
  });

  test("whatever the moment: the latest due one is not after it, the next one is, and nothing lies between", () => {
    const property = (name: string, jitter: number, time: number) => {
      const schedule = new Schedule(settings(name, jitter));
      const now = new Date(time);
      const [latest, before] = schedule.latest(now, 2);
      expect(latest!.getTime()).toBeLessThanOrEqual(time);
      expect(schedule.after(now).getTime()).toBeGreaterThan(time);
      expect(schedule.after(latest!)).toEqual(schedule.after(now));
      expect(schedule.after(before!)).toEqual(latest);
    };
    const time = fc.integer({ min: Date.parse("2020-01-01"), max: Date.parse("2040-01-01") });
    fc.assert(fc.property(fc.string(), fc.nat(7200), time, property), { numRuns: 200 });
  });
});

test("a pattern that cannot be read, or never comes true, is refused", () => {
  const schedule = (cron: string) => () => new Schedule({ cron, jitterSeconds: 0, name: "prod" });
  expect(schedule("every hour")).toThrow(/exactly five, six, or seven/);
  expect(schedule("0 0 30 2 *")).toThrow('"0 0 30 2 *" never comes true');
});
