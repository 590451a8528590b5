import bcrypt from "bcryptjs";
import { Secret, UNKNOWN, Unknown } from "../../../toolchain/plugins/server/index.ts";
import { installedVersion, startPlugin } from "../support/plugin.ts";
import type { Plugin } from "../support/plugin.ts";

const TYPE = "random:index/randomPassword:RandomPassword";
let plugin: Plugin;
beforeAll(async () => {
  plugin = await startPlugin("random");
});
afterAll(() => plugin[Symbol.asyncDispose]());

const text = (value: unknown): string => (value as Secret).value as string;
const reasons = async (news: Parameters<Plugin["check"]>[1]) =>
  (await plugin.check(TYPE, news)).failures.map(({ reason }) => reason).sort();

test("the plugin has the version of the npm package", async () => {
  expect(await plugin.version()).toBe(installedVersion("@pulumi/random"));
});

test("a password has its length, its defaults, a secret result and a bcrypt hash of it", async () => {
  const { id, outputs } = await plugin.up(TYPE, { length: 24, keepers: { a: "1" } });
  const { result, bcryptHash, __pulumi_raw_state_delta: delta, ...rest } = outputs;
  expect(id).toBe("none");
  expect(rest).toEqual({
    __meta: '{"schema_version":"3"}',
    id: "none",
    keepers: { a: "1" },
    length: 24,
    ...{ lower: true, upper: true, special: true, number: true, numeric: true },
    ...{ minLower: 0, minNumeric: 0, minSpecial: 0, minUpper: 0 },
  });
  expect(result).toBeInstanceOf(Secret);
  expect(text(result)).toMatch(/^[A-Za-z0-9!@#$%&*()\-_=+[\]{}<>:?]{24}$/);
  expect(bcryptHash).toBeInstanceOf(Secret);
  expect(text(bcryptHash)).toMatch(/^\$2a\$10\$/);
  expect(await bcrypt.compare(text(result), text(bcryptHash))).toBe(true);
  expect(delta).toEqual({
    obj: { ps: { keepers: { map: {} }, overrideSpecial: new Secret({ replace: { raw: null } }) } },
  });
});

test("two passwords differ", async () => {
  const [one, other] = await Promise.all([1, 2].map(() => plugin.up(TYPE, { length: 24 })));
  expect(text(one!.outputs["result"])).not.toBe(text(other!.outputs["result"]));
});

test("a preview shows what is known and leaves the rest unknown", async () => {
  const outputs = await plugin.preview(TYPE, { length: 8, special: UNKNOWN, keepers: { a: UNKNOWN } });
  for (const name of ["id", "result", "bcryptHash", "special"]) expect(outputs[name]).toBeInstanceOf(Unknown);
  expect((outputs["keepers"] as Record<string, unknown>)["a"]).toBeInstanceOf(Unknown);
  expect(outputs).toMatchObject({ length: 8, lower: true, numeric: true, number: true, minLower: 0 });
  expect(outputs["__meta"]).toBeUndefined();
});

test("what cannot be is refused in the provider's words", async () => {
  expect(await reasons({})).toEqual([
    "Missing required property 'length': The length of the string desired. The minimum value for length is 1 and, " +
      "length must also be >= (`min_upper` + `min_lower` + `min_numeric` + `min_special`).",
  ]);
  expect(await reasons({ length: 0 })).toEqual([
    "Invalid Attribute Value. Attribute length value must be at least 1, got: 0. Examine values at 'thing.length'.",
  ]);
  expect(await reasons({ length: 2, minLower: 2, minUpper: 1 })).toEqual([
    "Invalid Attribute Value. Attribute length value must be at least sum of min_upper + min_lower + min_numeric + " +
      "min_special, got: 2. Examine values at 'thing.length'.",
  ]);
  expect(await reasons({ length: 2, special: false, upper: false, lower: false, numeric: false })).toEqual([
    "Invalid Attribute Combination. At least one attribute out of [special,upper,lower,numeric] must be specified as " +
      "true. Examine values at 'thing.numeric'.",
  ]);
  expect(await reasons({ length: UNKNOWN, special: UNKNOWN })).toEqual([]);
  await expect(plugin.check(TYPE, { length: "many" })).rejects.toThrow(
    'cannot encode resource inputs to call ValidateResourceConfig: objectEncoder failed on property "length": ' +
      'Expected a Number, got resource.PropertyValue{V:"many"} true',
  );
});

test("number and numeric that contradict each other are refused when planned", async () => {
  await expect(plugin.create(TYPE, { length: 8, number: true, numeric: false })).rejects.toThrow(
    "Number and numeric are both configured with different values - Number is deprecated, use numeric instead",
  );
});

test("number still counts, with a warning", async () => {
  const before = plugin.messages.length;
  const { outputs } = await plugin.up(TYPE, { length: 40, number: false, special: false });
  expect(text(outputs["result"])).toMatch(/^[A-Za-z]{40}$/);
  expect(outputs["numeric"]).toBe(false);
  expect(plugin.messages.slice(before)).toContainEqual(
    expect.objectContaining({
      severity: "warning",
      text: '[WARNING] property "number" is deprecated: **NOTE**: This is deprecated, use `numeric` instead.',
    }),
  );
});

test.each([
  ["length", { length: 9 }, ["length"]],
  ["a keeper", { length: 8, keepers: { a: "2" } }, ["keepers"]],
  ["an unknown keeper", { length: 8, keepers: { a: UNKNOWN } }, ["keepers"]],
  ["no keepers any more", { length: 8, keepers: null }, ["keepers"]],
  ["a class", { length: 8, special: false }, ["special"]],
  ["digits, which go by two names", { length: 8, numeric: false }, ["number", "numeric"]],
  ["the special characters", { length: 8, overrideSpecial: "_" }, ["overrideSpecial"]],
  ["a minimum", { length: 8, minUpper: 2 }, ["minUpper"]],
])("a change of %s replaces", async (_what, change, replaces) => {
  const state = await plugin.up(TYPE, { length: 8, keepers: { a: "1" } });
  const diff = await plugin.diff(TYPE, state, { keepers: { a: "1" }, ...change });
  expect(diff).toEqual({
    changes: "some",
    replaces,
    diffs: replaces,
    stables: [],
    deleteBeforeReplace: false,
    detailed: undefined,
  });
});

test("the same inputs, a default written out and an ignored change are no changes", async () => {
  const state = await plugin.up(TYPE, { length: 8 });
  for (const news of [{ length: 8 }, { length: 8, special: true, minLower: 0 }]) {
    expect(await plugin.diff(TYPE, state, news)).toMatchObject({ changes: "none", replaces: [], diffs: [] });
  }
  expect(await plugin.diff(TYPE, state, { length: 9 }, ["length"])).toMatchObject({ changes: "none", replaces: [] });
});

test("special characters set to nothing can be left out without a new password", async () => {
  const state = await plugin.up(TYPE, { length: 8, overrideSpecial: "" });
  expect(await plugin.diff(TYPE, state, { length: 8 })).toMatchObject({
    changes: "some",
    replaces: [],
    diffs: ["overrideSpecial"],
  });
  const updated = await plugin.update(TYPE, state, { length: 8 });
  expect(updated["result"]).toEqual(state.outputs["result"]);
  expect(updated["overrideSpecial"]).toBeUndefined();
});

test("a refresh gives back what is in the state", async () => {
  const state = await plugin.up(TYPE, { length: 8, keepers: { a: "1" } });
  expect(await plugin.read(TYPE, state.id, state.outputs, state.inputs)).toEqual(state);
});

test("an import takes the password from the id", async () => {
  const read = await plugin.read(TYPE, "s3cret!");
  expect(read!.id).toBe("none");
  expect(read!.outputs["result"]).toEqual(new Secret("s3cret!"));
  expect(await bcrypt.compare("s3cret!", text(read!.outputs["bcryptHash"]))).toBe(true);
  expect(read!.inputs).toEqual({ length: 7, lower: true, number: true, numeric: true, special: true, upper: true });
});

test("deleting forgets it", async () => {
  const state = await plugin.up(TYPE, { length: 8 });
  await expect(plugin.delete(TYPE, state)).resolves.toBeUndefined();
});
