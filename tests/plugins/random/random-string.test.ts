import { startPlugin } from "../support/plugin.ts";
import type { Plugin } from "../support/plugin.ts";

const TYPE = "random:index/randomString:RandomString";
let plugin: Plugin;
beforeAll(async () => {
  plugin = await startPlugin("random");
});
afterAll(() => plugin[Symbol.asyncDispose]());

test("a string is its own id and not secret", async () => {
  const { id, outputs } = await plugin.up(TYPE, { length: 12, special: false });
  expect(id).toMatch(/^[A-Za-z0-9]{12}$/);
  expect(outputs).toMatchObject({ id, result: id, __meta: '{"schema_version":"2"}' });
});

test.each([
  ["only digits", { length: 64, lower: false, upper: false, special: false }, /^[0-9]{64}$/],
  ["only lower case", { length: 64, numeric: false, upper: false, special: false }, /^[a-z]{64}$/],
  [
    "own special characters",
    { length: 64, lower: false, upper: false, numeric: false, overrideSpecial: "_ü" },
    /^[_ü]{64}$/,
  ],
  [
    "minimums of each class",
    { length: 4, minLower: 1, minUpper: 1, minNumeric: 1, minSpecial: 1 },
    /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[^A-Za-z\d]).{4}$/,
  ],
  [
    "a minimum of a class that is off",
    { length: 3, lower: false, minLower: 2, upper: false, special: false },
    /^(?=.*[a-z].*[a-z])[a-z\d]{3}$/,
  ],
])("%s", async (_what, inputs, pattern) => {
  for (let i = 0; i < 5; i++) expect((await plugin.up(TYPE, inputs)).outputs["result"]).toMatch(pattern);
});

test("minimums do not stay at the start", async () => {
  const strings = await Promise.all(
    Array.from({ length: 12 }, () => plugin.up(TYPE, { length: 20, minNumeric: 10, special: false })),
  );
  expect(strings.some(({ id }) => !/^\d{10}/.test(id))).toBe(true);
});

test("an import takes the string from the id", async () => {
  expect(await plugin.read(TYPE, "abc")).toMatchObject({
    id: "abc",
    outputs: { id: "abc", result: "abc", length: 3, minLower: 0 },
    inputs: { length: 3, lower: true, number: true, numeric: true, special: true, upper: true },
  });
});
