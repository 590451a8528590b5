import { Backoff } from "../../../lib/supervisor/backoff.ts";

it("waits twice as long after each quick exit, at most 30 s", () => {
  const backoff = new Backoff();
  expect([0, 0, 0, 0, 0, 0, 0].map((ran) => backoff.next(ran))).toEqual([1, 2, 4, 8, 16, 30, 30]);
});

it("begins anew once the program has run for 30 s", () => {
  const backoff = new Backoff();
  for (const ran of [0, 5, 29.9]) backoff.next(ran);
  expect(backoff.quickExits).toBe(3);
  expect(backoff.next(30)).toBe(1);
  expect(backoff.quickExits).toBe(0);
  expect(backoff.next(0)).toBe(1);
});
