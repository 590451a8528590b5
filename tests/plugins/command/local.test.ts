import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Asset, Secret, UNKNOWN, Unknown } from "../../../toolchain/plugins/server/index.ts";
import type { Properties, Archive } from "../../../toolchain/plugins/server/index.ts";
import { installedVersion, startPlugin } from "../support/plugin.ts";
import type { Plugin } from "../support/plugin.ts";
import { sha256 } from "../../../lib/sha256.ts";

const TYPE = "command:local:Command";
let plugin: Plugin;
let dir: string;
beforeAll(async () => {
  plugin = await startPlugin("command");
  dir = mkdtempSync(join(tmpdir(), "local-"));
});
afterAll(async () => {
  await plugin[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

test("the plugin has the version of the npm package", async () => {
  expect(await plugin.version()).toBe(installedVersion("@pulumi/command"));
});

test("a command runs in its directory, with its variables and standard input", async () => {
  const inputs = { create: 'pwd; echo "$A"; cat; echo oh >&2', dir, environment: { A: "b" }, stdin: new Secret("in") };
  const { id, outputs } = await plugin.up(TYPE, inputs);
  expect(id).toMatch(/^thing[0-9a-f]{8}$/);
  expect(outputs).toEqual({ ...inputs, stdout: `${dir}\nb\nin`, stderr: "oh" });
});

test("an interpreter takes the command as its last argument", async () => {
  const { outputs } = await plugin.up(TYPE, { create: "a b", interpreter: ["/bin/echo", "-n"] });
  expect(outputs["stdout"]).toBe("a b");
});

test("one line end is taken off, and no command runs none", async () => {
  expect((await plugin.up(TYPE, { create: "printf 'a\\n\\n'" })).outputs).toMatchObject({ stdout: "a\n", stderr: "" });
  expect((await plugin.up(TYPE, { delete: "true" })).outputs).toMatchObject({ stdout: "", stderr: "" });
});

test("a preview runs nothing and knows no output", async () => {
  const outputs = await plugin.preview(TYPE, { create: `touch ${dir}/preview`, delete: UNKNOWN });
  expect(outputs["stdout"]).toBeInstanceOf(Unknown);
  expect(outputs["delete"]).toBeInstanceOf(Unknown);
  expect(existsSync(join(dir, "preview"))).toBe(false);
});

test.each([
  ["exit status 3", "echo out; exit 3", {}, 'exit status 3: running "echo out; exit 3":\nout\n'],
  ["a signal", "kill -9 $$", {}, 'signal: killed: running "kill -9 $$":\n'],
  [
    "no such directory",
    "true",
    { dir: "/nonexistent" },
    'chdir /nonexistent: no such file or directory: running "true":\n',
  ],
  ["no directory", "true", { dir: "/etc/passwd" }, 'fork/exec /bin/sh: not a directory: running "true":\n'],
  [
    "no such program",
    "x",
    { interpreter: ["nosuchprog"] },
    'exec: "nosuchprog": executable file not found in $PATH: running "x":\n',
  ],
  ["no program", "x", { interpreter: ["/etc/passwd"] }, 'fork/exec /etc/passwd: permission denied: running "x":\n'],
])("%s is told with the command and its output", async (_what, create, more, message) => {
  await expect(plugin.create(TYPE, { create, ...more })).rejects.toMatchObject({ details: message });
});

test("an update runs update, or create again, with the output before in its environment", async () => {
  const state = await plugin.up(TYPE, { create: "echo one; echo oh >&2" });
  const before = "echo $PULUMI_COMMAND_STDOUT-$PULUMI_COMMAND_STDERR";
  expect(await plugin.update(TYPE, state, { create: "x", update: before })).toMatchObject({ stdout: "one-oh" });
  expect(await plugin.update(TYPE, state, { create: before })).toMatchObject({ stdout: "one-oh", stderr: "" });
  const without = { create: before, addPreviousOutputInEnv: false };
  expect(await plugin.update(TYPE, state, without)).toMatchObject({ stdout: "-" });
  expect(await plugin.update(TYPE, state, { dir })).toMatchObject({ stdout: "one", stderr: "oh" });
});

test("the preview of an update knows the output only when nothing changes", async () => {
  const state = await plugin.up(TYPE, { create: "echo one" });
  const preview = (news: Properties) => plugin.update(TYPE, state, news, { preview: true });
  expect(await preview({ create: "echo one" })).toMatchObject({ stdout: "one" });
  expect((await preview({ create: "echo two" }))["stdout"]).toBeInstanceOf(Unknown);
});

test("delete runs with what create wrote, and its failure is told", async () => {
  const state = await plugin.up(TYPE, { create: "echo one", delete: `echo $PULUMI_COMMAND_STDOUT > ${dir}/deleted` });
  await plugin.delete(TYPE, state);
  expect(existsSync(join(dir, "deleted"))).toBe(true);
  const failing = { ...state, outputs: { ...state.outputs, delete: "exit 4" } };
  await expect(plugin.delete(TYPE, failing)).rejects.toThrow('exit status 4: running "exit 4"');
});

test("changes are told by path; triggers replace as a whole", async () => {
  const inputs = { create: "true", environment: { A: "1", B: "2" }, triggers: [1, { a: 1 }] };
  const state = await plugin.up(TYPE, inputs);
  const changed = async (change: Properties) => plugin.diff(TYPE, state, { ...inputs, ...change });
  expect(await changed({})).toMatchObject({ changes: "none", replaces: [], diffs: [] });
  expect(await changed({ environment: { A: "2", "a.b": "3" } })).toMatchObject({
    ...{ changes: "some", replaces: [], diffs: ["environment"] },
    detailed: {
      "environment.A": { kind: "update", inputDiff: false },
      "environment.B": { kind: "delete", inputDiff: false },
      'environment["a.b"]': { kind: "add", inputDiff: false },
    },
  });
  expect(await changed({ triggers: [1, { a: 2 }] })).toMatchObject({
    detailed: { "triggers[1].a": { kind: "update", inputDiff: false } },
  });
  expect(await changed({ triggers: null })).toMatchObject({
    replaces: ["triggers"],
    detailed: { triggers: { kind: "delete-replace", inputDiff: false } },
  });
  expect(await changed({ create: new Secret("true") })).toMatchObject({ diffs: ["create"] });
  expect(await plugin.diff(TYPE, state, { ...inputs, create: "x" }, ["create"])).toMatchObject({ changes: "none" });
});

test("inputs of a wrong kind or name are refused", async () => {
  const { failures } = await plugin.check(TYPE, { create: 5, interpreter: "x", bogus: 1 });
  expect(failures.toSorted((a, b) => (a.property < b.property ? -1 : 1))).toEqual([
    { property: "bogus", reason: "Unrecognized field 'bogus' on 'local.CommandInputs'" },
    { property: "create", reason: "Field 'create' on 'local.CommandInputs' must be a 'string'; got 'float64' instead" },
    {
      property: "interpreter",
      reason: "Field 'interpreter' on 'local.CommandInputs' must be a '[]string'; got 'string' instead",
    },
  ]);
});

test.each([
  [undefined, ["err", "out"]],
  ["stdout", ["out"]],
  ["stderr", ["err"]],
  ["none", []],
])("logging %s shows %j", async (logging, shown) => {
  const before = plugin.messages.length;
  await plugin.up(TYPE, { create: "echo out; echo err >&2", ...(logging && { logging }) });
  const messages = plugin.messages.slice(before);
  expect(messages.map(({ text }) => text).sort()).toEqual(shown);
  expect(messages.every(({ severity, status }) => severity === "info" && status)).toBe(true);
});

test("files are found by patterns, as assets and as one archive", async () => {
  const files = join(dir, "files");
  mkdirSync(join(files, "src"), { recursive: true });
  for (const name of ["a.js", "src/b.js", "src/secret.js"]) writeFileSync(join(files, name), name);
  const { outputs } = await plugin.up(TYPE, {
    ...{ create: "true", dir: files, assetPaths: ["**.js", "!**secret.*"], archivePaths: ["*.{js,css}"] },
  });
  const asset = (name: string) => new Asset({ path: join(files, name) }, sha256(name));
  expect(outputs["assets"]).toEqual({ "a.js": asset("a.js"), "src/b.js": asset("src/b.js") });
  expect((outputs["archive"] as Archive).content).toEqual({ assets: { "a.js": asset("a.js") } });
  expect((outputs["archive"] as Archive).hash).toMatch(/^[0-9a-f]{64}$/);
});

test("the hash of an archive is the engine's", async () => {
  const files = mkdtempSync(join(tmpdir(), "hash-"));
  writeFileSync(join(files, "f.txt"), "x\n");
  const { outputs } = await plugin.up(TYPE, { create: "true", dir: files, archivePaths: ["*"] });
  rmSync(files, { recursive: true });
  expect((outputs["archive"] as Archive).hash).toBe("e8afa23d2ac4ad0bf5240b11fba2f49bf79d8c1a2437a817d85cc90601d5ad5e");
});

test("the run function runs at once", async () => {
  expect((await plugin.invoke("command:local:run", { command: "cat", stdin: "in" })).result).toEqual({
    ...{ command: "cat", stdin: "in", stdout: "in", stderr: "" },
  });
  expect((await plugin.invoke("command:local:run", {})).failures).toEqual([
    { property: "command", reason: "Missing required field 'command' on 'local.RunInputs'" },
  ]);
  await expect(plugin.invoke("command:local:run", { command: "exit 9" })).rejects.toThrow(
    'exit status 9: running "exit 9"',
  );
});

test("a refresh gives back what is in the state", async () => {
  const state = await plugin.up(TYPE, { create: "echo one" });
  expect(await plugin.read(TYPE, state.id, state.outputs, state.inputs)).toEqual(state);
});
