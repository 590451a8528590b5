import type { AlertRule } from "../../../lib/monitoring/rule.ts";
import { karmadaRules } from "../../../lib/monitoring/rules/karmada.ts";
import { watched } from "./support.ts";

/** The alert about attempts to schedule, as a Prometheus evaluates it. Times are in seconds. */
const rule = karmadaRules(watched()).find(
  (each): each is AlertRule => "alert" in each && each.alert === "KarmadaSchedulingErrors",
)!;
const seconds = (duration: string) => Number.parseInt(duration) * { m: 60, h: 3600 }[duration.at(-1) as "m" | "h"];
const window = seconds(/\[(\w+)\]\)\) > 0$/.exec(rule.expr)![1]!);
const hours = 12;

/** When a binding that finds no room is tried: karmada-scheduler waits 5 ms at first, twice as long each time, 1000 s at most. */
function attempts(): number[] {
  const times = [0];
  for (let wait = 0.005; times.at(-1)! < hours * 3600; wait = Math.min(wait * 2, 1000))
    times.push(times.at(-1)! + wait);
  return times;
}

/** The minutes in which the alert fires; the counter is there from the first failure on. */
function firing(failures: readonly number[], scrapeSeconds: number): number[] {
  const counted = (at: number) => failures.filter((time) => time <= at).length;
  const grows = (at: number) => {
    const last = Math.floor(at / scrapeSeconds) * scrapeSeconds;
    const first = Math.max(0, Math.ceil((at - window) / scrapeSeconds) * scrapeSeconds);
    return last > first && counted(last) > counted(first);
  };
  const fires: number[] = [];
  let since: number | undefined;
  for (let at = 0; at < hours * 3600; at += 60) {
    since = grows(at) ? (since ?? at) : undefined;
    if (since !== undefined && at - since >= seconds(rule.for)) fires.push(at / 60);
  }
  return fires;
}

test.each([15, 30, 60])("scraped every %d s, it lasts for as long as a binding finds no room", (scrapeSeconds) => {
  const fires = firing(attempts(), scrapeSeconds);
  const [first = 0] = fires;
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(40);
  expect(fires).toHaveLength(hours * 60 - first);
});

test("a failure that the next attempt mends is not told of", () => {
  expect(firing([100, 3 * 3600 + 10], 30)).toEqual([]);
});
