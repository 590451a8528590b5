/** Hooks on this machine through the plugin: when their scripts are run, what they see, and what a failing one says. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { unwrapRpcSecret } from "@pulumi/pulumi/runtime/index.js";
import { settled, withMocks } from "../../components/support/mocks.ts";
import { Secret } from "../../../toolchain/plugins/server/index.ts";
import type { Properties } from "../../../toolchain/plugins/server/index.ts";
import type { Deployment } from "../../../spec/deployment.ts";
import { startPlugin } from "../support/plugin.ts";
import type { Plugin } from "../support/plugin.ts";

const registered = await withMocks();
const { hooksHere } = await import("../../../components/placement/hooks.ts");

type Versions = Deployment["versions"];

const type = "command:local:Command";
let plugin: Plugin;
let directory: string;
beforeAll(async () => {
  plugin = await startPlugin("command");
  directory = mkdtempSync(join(tmpdir(), "hooks-"));
});
beforeEach(() => writeFileSync(log(), ""));
afterAll(async () => {
  await plugin[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const log = () => join(directory, "log");
const done = () => readFileSync(log(), "utf8");
/** A hook that notes what it does, and its undoing. */
const noting = () => ({ run: `echo "ran $KARMADA_VERSION" >>${log()}; echo ready`, undo: `echo undone >>${log()}` });

let count = 0;
/** The inputs of a hook's resource, as the engine gives them to the plugin. */
async function inputsOf(
  hook: { run: string; undo?: string; triggers?: string[]; token?: string },
  karmada: Versions["karmada"] = "1.18.2",
) {
  const name = `deployment${count++}`;
  const { token, triggers = [], ...scripts } = hook;
  const environment: Record<string, pulumi.Output<string>> = token === undefined ? {} : { TOKEN: pulumi.secret(token) };
  const moment = { when: "before", phase: "etcd" } as const;
  const parent = new pulumi.ComponentResource("test:index:Deployment", name);
  hooksHere(
    {
      name: "dev",
      versions: { karmada, kubernetes: "1.35.3", etcd: "3.6.6", allowDowngrade: false },
      placement: { hooks: [{ ...moment, ...scripts, name: "note", environment, triggers }] },
    },
    {},
    parent,
  )(moment, { parent, dependsOn: [] });
  await settled();
  const { stdin, ...plain } = registered.findLast((each) => each.type === type)!.inputs;
  return { ...plain, stdin: new Secret(String(unwrapRpcSecret(stdin))) } as Properties;
}

test("a hook is run once, again for a trigger and a version without being undone, and undone at the end", async () => {
  const state = await plugin.up(type, await inputsOf(noting()));
  expect(done()).toBe("ran 1.18.2\n");
  expect(state.outputs["stdout"]).toBe("ready");
  expect(await plugin.diff(type, state, await inputsOf(noting()))).toMatchObject({ changes: "none" });

  for (const changed of [await inputsOf({ ...noting(), triggers: ["2"] }), await inputsOf(noting(), "1.17.1")]) {
    expect(await plugin.diff(type, state, changed)).toMatchObject({ changes: "some", replaces: [], diffs: ["stdin"] });
    await plugin.update(type, state, changed);
  }
  expect(done()).toBe("ran 1.18.2\nran 1.18.2\nran 1.17.1\n");

  await plugin.delete(type, state);
  expect(done()).toBe("ran 1.18.2\nran 1.18.2\nran 1.17.1\nundone\n");
});

test("what a hook writes is shown while it runs, unless it is given variables of the operator's", async () => {
  const said = async (hook: Parameters<typeof inputsOf>[0]) => {
    const before = plugin.messages.length;
    await plugin.up(type, await inputsOf(hook));
    return plugin.messages.slice(before).map(({ text }) => text);
  };
  const both = await said({ run: "echo draining; echo drained >&2" });
  expect(both.sort()).toEqual(["drained", "draining"]);
  expect(await said({ run: 'echo "$TOKEN"', token: "s3cret" })).toEqual([]);
});

test("a hook ends at the first command that fails, with all that it has written, and takes nothing from standard input", async () => {
  const failing = await inputsOf({ run: "exec 2>&1; cat; echo draining\nls /nonexistent/of-hook\necho never" });
  const failure = plugin.create(type, failing);
  await expect(failure).rejects.toMatchObject({
    details: expect.stringMatching(
      /^exit status \d+: running "sh -s run":\ndraining\nls: .*\/nonexistent\/of-hook.*\n$/,
    ),
  });
});

test("variables and scripts are on no command line", async () => {
  const { outputs } = await plugin.up(
    type,
    await inputsOf({ run: "tr '\\0' ' ' </proc/$$/cmdline; tr '\\0' ' ' </proc/$PPID/cmdline", token: "s3cret" }),
  );
  expect(outputs["stdout"]).toContain("sh -s run");
  expect(outputs["stdout"]).not.toContain("s3cret");
});
