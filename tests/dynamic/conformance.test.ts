import { readdirSync } from "node:fs";
import { sha256 } from "../../lib/sha256.ts";
import { CallError, serialisedProviders, startDynamicProvider, unknown } from "./support/dynamic-provider.ts";
import type { DynamicProvider, Props } from "./support/dynamic-provider.ts";
import { samples, secrets } from "./support/samples.ts";

/** These have no server that could be missing; they have tests of their own. */
const serverless = [
  "etcd-backup-status",
  "etcd-restore",
  "host-prepared-process",
  "local-directory",
  "local-prepared-process",
  "local-process",
  "program",
];

/** Nothing declares them any more: they are there for stacks that have them, and have a test each. */
const former = ["host-program"];

const folder = new URL("../../providers/", import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith("-impl.ts"))
  .map((file) => file.replace("-impl.ts", ""))
  .filter((name) => !serverless.includes(name) && !former.includes(name));

describe("every dynamic resource, in Pulumi's own dynamic-provider process", () => {
  let texts: Record<string, string>;
  let host: DynamicProvider;

  beforeAll(async () => {
    texts = await serialisedProviders(names.map((name) => new URL(`${name}.ts`, folder).pathname));
    host = await startDynamicProvider();
  });
  afterAll(() => host.stop());

  const inputsOf = (name: string): Props => ({ __provider: texts[className(name)], ...samples[name]?.inputs });
  const stateOf = (name: string): Props => ({ ...inputsOf(name), schemaVersion: samples[name]?.schemaVersion ?? 1 });

  test("has a sample for each", () => expect(Object.keys(samples).sort()).toEqual([...names].sort()));

  describe.each(names)("%s", (name) => {
    test("keeps at most 3000 bytes of code in the state, the same each time, with no secret and no path of this machine", async () => {
      const text = texts[className(name)] ?? "";
      const again = await serialisedProviders([new URL(`${name}.ts`, folder).pathname]);
      expect(again[className(name)]).toBe(text);
      expect(text).toContain(`"./providers/${name}-impl.ts"`);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(3000);
      expect(text).not.toContain(new URL("../../", import.meta.url).pathname);
    });

    test("accepts good inputs, and inputs that are not known yet", async () => {
      const inputs = inputsOf(name);
      const { once = [], dropped = [] } = samples[name] ?? {};
      const digests = Object.fromEntries(once.map((key) => [key, sha256(inputs[key] as string)]));
      const nothing = Object.fromEntries(dropped.map((key) => [key, {}]));
      expect(await host.check({}, inputs)).toEqual({ inputs: { ...inputs, ...digests, ...nothing }, failures: [] });
      const preview = Object.fromEntries(Object.keys(inputs).map((key) => [key, unknown]));
      const news = { ...preview, __provider: inputs.__provider };
      expect((await host.check({}, news)).failures).toEqual([]);
    });

    test("sees no change where there is none, also when only its code differs", async () => {
      const news = { ...inputsOf(name), __provider: `${texts[className(name)]}\n` };
      const { inputs: checked } = await host.check({}, news);
      for (const each of [news, checked]) {
        expect(await host.diff("id", stateOf(name), each)).toMatchObject({ changes: false, replaces: [] });
      }
    });

    test("sees a change in an input that is not known yet, and replaces nothing for it, unless it says so", async () => {
      const { inputs = {}, unknownReplaces = [], ignored = ["timeoutSeconds"] } = samples[name] ?? {};
      for (const key of Object.keys(inputs)) {
        const { changes, replaces } = await host.diff("id", stateOf(name), { ...inputsOf(name), [key]: unknown });
        const expected = unknownReplaces.includes(key) ? [key] : [];
        expect({ key, changes, replaces }).toEqual({ key, changes: !ignored.includes(key), replaces: expected });
      }
    });

    test("replaces for another identity and updates for anything else", async () => {
      const { inputs = {}, identity = [], ignored = ["timeoutSeconds"] } = samples[name] ?? {};
      for (const key of Object.keys(inputs)) {
        const news = { ...inputsOf(name), [key]: other(inputs[key]) };
        const { changes, replaces } = await host.diff("id", stateOf(name), news);
        const expected = { key, changes: !ignored.includes(key), replaces: identity.includes(key) ? [key] : [] };
        expect({ key, changes, replaces }).toEqual(expected);
      }
    });

    test("repairs drift that a refresh has found, and state of another version", async () => {
      const state = stateOf(name);
      expect((await host.diff("id", { ...state, drift: ["gone"] }, inputsOf(name))).changes).toBe(true);
      expect((await host.diff("id", { ...state, schemaVersion: 0 }, inputsOf(name))).changes).toBe(true);
    });

    test("leaves nothing behind when nothing could be made, and prints no secret", async () => {
      const { failure = /127\.0\.0\.1:31799: connection refused/ } = samples[name] ?? {};
      const error = await host.create(inputsOf(name)).catch((thrown: unknown) => thrown);
      if (failure === "none") return expect(error).not.toBeInstanceOf(CallError);
      expect(error).toBeInstanceOf(CallError);
      expect((error as CallError).partial).toBeUndefined();
      expect((error as Error).message).toMatch(failure);
      for (const secret of secrets) expect((error as Error).message + host.output()).not.toContain(secret);
    });
  });
});

const className = (name: string) => name.replace(/(^|-)(.)/g, (_, _dash, letter: string) => letter.toUpperCase());

function other(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  if (typeof value === "string") return `${value}x`;
  if (Array.isArray(value)) return [...value, "another"];
  if (typeof value === "object") return { ...value, another: "x" };
  return !value;
}
