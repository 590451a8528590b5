import { timeLimit } from "../../cli/test/end-to-end.ts";

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
