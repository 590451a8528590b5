import { Secret, Unknown } from "../../../toolchain/plugins/server/index.ts";
import { startPlugin } from "../support/plugin.ts";
import type { Plugin } from "../support/plugin.ts";

let plugin: Plugin;
beforeAll(async () => {
  plugin = await startPlugin("random");
});
afterAll(() => plugin[Symbol.asyncDispose]());

const RETRY =
  "Retry the Terraform operation. If the error still occurs or happens regularly, please contact the provider " +
  "developer with hardware and operating system information.\n\n";

describe("RandomId", () => {
  const TYPE = "random:index/randomId:RandomId";

  test("the formats are of the same bytes, each after the prefix", async () => {
    const { id, outputs } = await plugin.up(TYPE, { byteLength: 9, prefix: "p-" });
    const bytes = Buffer.from(id, "base64url");
    expect(bytes).toHaveLength(9);
    const hex = bytes.toString("hex");
    expect(outputs).toEqual({
      ...{ byteLength: 9, prefix: "p-", id },
      b64Std: `p-${bytes.toString("base64")}`,
      b64Url: `p-${id}`,
      hex: `p-${hex}`,
      dec: `p-${BigInt(`0x${hex}`)}`,
      __pulumi_raw_state_delta: { obj: { ps: { keepers: new Secret({ replace: { raw: null } }) } } },
    });
  });

  test("a preview knows none of them", async () => {
    const outputs = await plugin.preview(TYPE, { byteLength: 4 });
    for (const name of ["id", "b64Std", "b64Url", "hex", "dec"]) expect(outputs[name]).toBeInstanceOf(Unknown);
  });

  test("no bytes are allowed, no length is not", async () => {
    expect((await plugin.up(TYPE, { byteLength: 0 })).outputs).toMatchObject({ id: "", dec: "0", hex: "" });
    expect((await plugin.check(TYPE, {})).failures).toEqual([
      {
        property: "",
        reason:
          "Missing required property 'byteLength': The number of random bytes to produce. The minimum value is 1, " +
          "which produces eight bits of randomness.",
      },
    ]);
  });

  test("a change of length, prefix or a keeper replaces", async () => {
    const state = await plugin.up(TYPE, { byteLength: 4, prefix: "p-" });
    const changed = async (news: Parameters<Plugin["diff"]>[2]) => (await plugin.diff(TYPE, state, news)).replaces;
    expect(await changed({ byteLength: 5, prefix: "p-" })).toEqual(["byteLength"]);
    expect(await changed({ byteLength: 4 })).toEqual(["prefix"]);
    expect(await changed({ byteLength: 4, prefix: "p-", keepers: { a: "1" } })).toEqual(["keepers"]);
    expect(await changed({ byteLength: 4, prefix: "p-" })).toEqual([]);
  });

  test("an import reads prefix and bytes from the id", async () => {
    expect(await plugin.read(TYPE, "pre,AQIDBA")).toEqual({
      id: "AQIDBA",
      inputs: { byteLength: 4, prefix: "pre" },
      outputs: {
        ...{ id: "AQIDBA", byteLength: 4, prefix: "pre", hex: "pre01020304", dec: "pre16909060" },
        ...{ b64Std: "preAQIDBA==", b64Url: "preAQIDBA" },
        __pulumi_raw_state_delta: { obj: { ps: { keepers: new Secret({ replace: { raw: null } }) } } },
      },
    });
    expect((await plugin.read(TYPE, "AQIDBA"))!.inputs).toEqual({ byteLength: 4 });
    await expect(plugin.read(TYPE, "!!")).rejects.toThrow(
      "Import Random ID Error: While attempting to import a random id there was a decoding error.\n\n+" +
        `${RETRY}Original Error: illegal base64 data at input byte 0`,
    );
  });
});

describe("RandomBytes", () => {
  const TYPE = "random:index/randomBytes:RandomBytes";

  test("both formats are secret, the id is the base64", async () => {
    const { id, outputs } = await plugin.up(TYPE, { length: 7 });
    const bytes = Buffer.from(id, "base64");
    expect(bytes).toHaveLength(7);
    expect(outputs).toMatchObject({ base64: new Secret(id), hex: new Secret(bytes.toString("hex")), length: 7 });
    expect(outputs["id"]).toBeUndefined();
  });

  test("no bytes are refused", async () => {
    expect((await plugin.check(TYPE, { length: 0 })).failures.map(({ reason }) => reason)).toEqual([
      "Invalid Attribute Value. Attribute length value must be at least 1, got: 0. Examine values at 'thing.length'.",
    ]);
  });

  test("an import takes base64 and nothing else", async () => {
    expect(await plugin.read(TYPE, "AQIDBA==")).toMatchObject({
      id: "AQIDBA==",
      inputs: { length: 4 },
      outputs: { hex: new Secret("01020304") },
    });
    await expect(plugin.read(TYPE, "@@")).rejects.toThrow(
      `Import Random bytes Error: There was an error during the parsing of the base64 string.\n\n${RETRY}`,
    );
  });

  test("a refresh gives back what is in the state", async () => {
    const state = await plugin.up(TYPE, { length: 7, keepers: { a: "1" } });
    expect(await plugin.read(TYPE, state.id, state.outputs, state.inputs)).toEqual(state);
  });
});

describe("RandomUuid", () => {
  const TYPE = "random:index/randomUuid:RandomUuid";

  test("the result is the id", async () => {
    const { id, outputs } = await plugin.up(TYPE, {});
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    expect(outputs).toMatchObject({ id, result: id });
  });

  test("an empty map of keepers is a change, but not one that replaces", async () => {
    const state = await plugin.up(TYPE, {});
    expect(await plugin.diff(TYPE, state, { keepers: {} })).toMatchObject({ replaces: [], diffs: ["keepers"] });
    expect(await plugin.diff(TYPE, state, { keepers: { a: "1" } })).toMatchObject({ replaces: ["keepers"] });
  });

  test("an import takes a UUID and nothing else", async () => {
    const uuid = "aabbccdd-eeff-0011-2233-445566778899";
    expect(await plugin.read(TYPE, uuid.toUpperCase())).toMatchObject({
      id: uuid,
      outputs: { result: uuid },
      inputs: {},
    });
    await expect(plugin.read(TYPE, "zz")).rejects.toThrow("Original Error: uuid string is wrong length");
    await expect(plugin.read(TYPE, uuid.replace("9", "g"))).rejects.toThrow(
      "Original Error: encoding/hex: invalid byte: U+0067 'g'",
    );
  });
});
