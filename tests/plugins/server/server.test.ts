/** The base of the stand-ins over the wire: what each kind of answer of a Provider becomes for the engine. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PartialFailure } from "../../../toolchain/plugins/server/errors.ts";
import { Asset, Secret, Unknown } from "../../../toolchain/plugins/server/values.ts";
import { startPluginProgram, type Plugin } from "../support/plugin.ts";
import { isRunning, startProcess } from "../support/process.ts";

const sample = join(import.meta.dirname, "sample.ts");
const echo = "sample:index:Echo";
let plugin: Plugin;

beforeAll(async () => {
  plugin = await startPluginProgram("sample", sample);
});
afterAll(() => plugin[Symbol.asyncDispose]());

test("the plugin reports its version", async () => {
  expect(await plugin.version()).toBe("1.2.3");
});

test("check fills in defaults and reports failures by property", async () => {
  expect(await plugin.check(echo, { name: "a" })).toEqual({ inputs: { size: 1, name: "a" }, failures: [] });
  expect((await plugin.check(echo, { size: -1 })).failures).toEqual([
    { property: "size", reason: "got -1, want a positive number" },
  ]);
});

test("a diff says what changes, in detail, and what forces a replacement", async () => {
  const state = { id: "echo-1", outputs: {}, inputs: { name: "a", size: 1 } };
  expect(await plugin.diff(echo, state, { name: "b", size: 2 })).toEqual({
    changes: "some",
    replaces: ["name"],
    diffs: [],
    stables: [],
    deleteBeforeReplace: false,
    detailed: { size: { kind: "update", inputDiff: true } },
  });
  expect((await plugin.diff(echo, state, { name: "a", size: 1 })).changes).toBe("none");
});

test("values of every kind come back as they went", async () => {
  const inputs = {
    text: "ünïcode",
    number: 1.5,
    flag: false,
    nothing: null,
    list: [1, ["two", { three: new Secret("3") }]],
    hidden: new Secret({ deep: ["x"] }),
    later: new Unknown(),
    file: new Asset({ text: "content" }, "ab"),
    "key with.dots": { "": "empty key" },
  };
  const { outputs } = await plugin.create(echo, inputs);
  expect(outputs).toEqual({ ...inputs, token: new Secret("s3cret") });
});

test("a preview may leave outputs unknown and has no id", async () => {
  expect(await plugin.preview(echo, { name: "a" })).toEqual({ name: "a", token: new Unknown() });
});

test("the timeout the user set arrives in seconds, and none when there is none", async () => {
  expect((await plugin.create(echo, {}, { timeout: 90 })).outputs).toMatchObject({ timeout: 90 });
  expect((await plugin.create(echo, {})).outputs).not.toHaveProperty("timeout");
});

test("an error is the message and nothing else", async () => {
  await expect(plugin.create(echo, { fail: "whole" })).rejects.toMatchObject({ details: "sample: refused" });
});

test("a partial failure carries id, state and reasons, secrets still secret", async () => {
  const failure = await plugin.create(echo, { fail: "part" }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(PartialFailure);
  expect(failure).toMatchObject({ id: "half", reasons: ["sample: not ready"] });
  expect((failure as PartialFailure).outputs).toEqual({ token: new Secret("s3cret") });
});

test("what is gone is read as gone, anything else with its inputs", async () => {
  expect(await plugin.read(echo, "gone")).toBeUndefined();
  expect(await plugin.read(echo, "echo-1", { size: 2 }, { size: 1 })).toEqual({
    id: "echo-1",
    outputs: { size: 2 },
    inputs: { size: 1 },
  });
});

test("an update knows whether it is a preview", async () => {
  const state = { id: "echo-1", outputs: {}, inputs: {} };
  expect(await plugin.update(echo, state, { a: 1 }, { preview: true })).toEqual({ a: 1, preview: true });
  expect(await plugin.update(echo, state, { a: 1 })).toEqual({ a: 1, preview: false });
});

test("a function gives its result, or failures for arguments that do not pass", async () => {
  expect(await plugin.invoke("sample:index:double", { value: 21 })).toEqual({ result: { value: 42 }, failures: [] });
  expect(await plugin.invoke("sample:index:double", {})).toEqual({
    result: {},
    failures: [{ property: "value", reason: "want a number" }],
  });
});

test("a type the stand-in does not have is refused by name, with the way out", async () => {
  await expect(plugin.create("sample:index:Other", {})).rejects.toMatchObject({
    details:
      "sample:index:Other: this stand-in of the sample plugin does not have this resource type\n" +
      "use the official plugin (pulumi plugin install), which has them all",
  });
});

test("messages go to the engine with their resource", async () => {
  await plugin.create(echo, {}, { name: "logged" });
  await sleep(100);
  expect(plugin.messages).toContainEqual({
    severity: "info",
    text: "creating",
    urn: "urn:pulumi:test::plugins::sample:index:Echo::logged",
    status: true,
  });
});

test("a message of 10 MB goes both ways", async () => {
  const text = "x".repeat(10 * 1024 * 1024);
  const { outputs } = await plugin.create(echo, { text });
  expect((outputs["text"] as string).length).toBe(text.length);
});

test("cancelling stops what is under way", async () => {
  const slow = plugin.create("sample:index:Slow", {}).catch((error: unknown) => error);
  await sleep(200);
  await plugin.cancel();
  expect(await slow).toMatchObject({ details: "sample: stopped" });
});

test("an interrupt ends the process at once, also with work under way", async () => {
  const other = await startPluginProgram("sample", sample);
  const slow = other.create("sample:index:Slow", {}).catch((error: unknown) => error);
  await sleep(200);
  const end = await other.stop();
  expect(end.code).toBe(0);
  expect(end.seconds).toBeLessThan(2);
  expect(await slow).toBeInstanceOf(Error);
});

test("a plugin whose engine is gone ends by itself", async () => {
  const node = process.execPath;
  const child = await startProcess("sh", ["-c", `"${node}" "${sample}" & echo $! >&2; wait`]);
  await sleep(100);
  const orphan = Number(child.stderr().trim().split("\n")[0]);
  process.kill(child.pid, "SIGKILL");
  await sleep(4000);
  expect(isRunning(orphan)).toBe(false);
});
