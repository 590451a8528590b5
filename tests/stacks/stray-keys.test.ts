import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { pathText } from "../../spec/problems.ts";
import { readProgram } from "../../stacks/config.ts";
import { strayKeys } from "../../stacks/stray-keys.ts";

const directory = await mkdtemp(join(tmpdir(), "karmada-stray-"));
afterAll(() => rm(directory, { recursive: true }));

/** What is found with these keys of the configuration and this stack file. */
async function found(keys: readonly string[], file?: string) {
  void pulumi.runtime.setMocks({ newResource: () => ({ id: "id", state: {} }), call: () => ({}) }, "karmada", "dev");
  pulumi.runtime.setAllConfig(Object.fromEntries(keys.map((key) => [key, "x"])));
  const path = join(directory, "Pulumi.dev.yaml");
  await (file === undefined ? rm(path, { force: true }) : writeFile(path, file));
  const { problems, warnings } = strayKeys(directory);
  return [...problems.map(({ path, message }) => `${pathText(path)}: ${message}`), ...warnings];
}

test.each([
  ["karmda:members", 'karmda:members: unknown namespace "karmda", did you mean "karmada:members"?'],
  ["Karmada:sample", 'Karmada:sample: unknown namespace "Karmada", did you mean "karmada:sample"?'],
  [
    "fleet:members",
    "fleet:members: not read, it is another project's; if it was meant for this one, write karmada:members",
  ],
])("%s is not passed over", async (key, message) => {
  expect(await found(["karmada:name", key])).toEqual([message]);
});

test.each([
  ["config:\nkarmada:members: []\n", "karmada:members: stands outside of config:, indent it below that"],
  ["members: []\n", "members: stands outside of config:, indent it below that"],
  ["confg:\n  karmada:members: []\n", 'confg: unknown key of a stack file, did you mean "config"?'],
])("a stack file that starts with %j says where its keys belong", async (file, message) => {
  expect(await found([], file)).toEqual([message]);
});

test("what belongs to Pulumi, to other projects and to nobody is left alone", async () => {
  const keys = ["karmada:members", "pulumi:tags", "kubernetes:context", "aws:region", "web:name"];
  const file = "environment: [shared]\nencryptionsalt: v1\nx-shared: &labels {tier: gold}\nconfig: {}\n";
  expect(await found(keys, file)).toEqual([]);
  expect(await found(keys)).toEqual([]);
  expect(await found(keys, "config: {karmada:sample: *nothing}\n")).toEqual([]);
});

test("the program ends before it declares anything", async () => {
  await found(["karmda:members"]);
  expect(() => readProgram()).toThrow(
    'stack dev: 1 problem in its configuration, nothing was changed\n  karmda:members: unknown namespace "karmda", did you mean "karmada:members"?',
  );
});
