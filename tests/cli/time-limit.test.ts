import { fits, slownessBy, timeLimit, turned } from "../../cli/test/end-to-end.ts";

test("there is no limit unless one is asked for", () => {
  expect(timeLimit(undefined)).toBeUndefined();
  expect(timeLimit("")).toBeUndefined();
});

test("what takes longer than usual gets ten minutes more", () => {
  expect(timeLimit("1.5", 0)).toEqual({ over: new Date(90_000), end: new Date(690_000) });
});

test.each(["0", "-3", "soon"])("%s is no time", (text) => {
  expect(() => timeLimit(text)).toThrow(`KARMADA_TEST_MINUTES: got "${text}", want a number of minutes above 0`);
});

test("what every run begins with comes first, and each of the others is the next at some commit", () => {
  const files = ["local", "hosts", "fleet", "failover", "restore"].map((name) => `tests/e2e/${name}.test.ts`);
  const next = [7, 8, 9].map((commit) => {
    const order = turned(files, commit);
    expect(order.slice(0, 2)).toEqual(files.slice(0, 2));
    expect([...order].sort()).toEqual([...files].sort());
    return order[2];
  });
  expect(next.sort()).toEqual(["failover", "fleet", "restore"].map((name) => `tests/e2e/${name}.test.ts`));
});

test("an empty list of files stays empty", () => {
  expect(turned([], 3)).toEqual([]);
});

test("what is begun is what is likely to be over in time, on a machine as slow as this one has shown itself", () => {
  const hosts = ["tests/e2e/hosts.test.ts"];
  const inEight = new Date(8 * 60_000);
  expect(fits(hosts, inEight, 1, 0)).toBe(true);
  expect(fits(hosts, inEight, 1.5, 0)).toBe(false);
  expect(fits([...hosts, "tests/e2e/local.test.ts"], inEight, 1, 0)).toBe(false);
  expect(fits([], inEight, 2, 0)).toBe(true);
  expect(slownessBy(30 * 60_000)).toBe(1.5);
  expect(slownessBy(5 * 60_000)).toBe(1);
});
