/** Patch resources: single fields of objects that others own. */
import type { Properties } from "../../../toolchain/plugins/server/index.ts";
import { object, setUp, type Setup } from "./support.ts";

const CONFIG_MAP = "kubernetes:core/v1:ConfigMap";
const PATCH = `${CONFIG_MAP}Patch`;
const SERVICE = "kubernetes:core/v1:Service";

let setup: Setup;
beforeAll(async () => (setup = await setUp()), 120_000);
afterAll(() => setup?.stop());

const configMap = (name: string, data: Properties, annotations?: Properties) =>
  object("v1", "ConfigMap", name, { data }, annotations && { annotations });
const dataOf = async (name: string) => (await setup.plugin.read(CONFIG_MAP, `default/${name}`))?.outputs["data"];
type Managed = { manager: string; operation: string }[];
const managersOf = async (name: string) => {
  const live = (await setup.plugin.read(CONFIG_MAP, `default/${name}`))!.outputs;
  return (live["metadata"] as { managedFields: Managed }).managedFields.map(({ manager }) => manager);
};

test("its fields are added, changed and, deleted, given up: the object stays, with what others set", async () => {
  await setup.plugin.up(CONFIG_MAP, configMap("shared", { theirs: "1" }));
  const patch = await setup.plugin.up(PATCH, configMap("shared", { ours: "1", more: "1" }));
  expect(patch.id).toBe("default/shared");
  expect(await dataOf("shared")).toEqual({ theirs: "1", ours: "1", more: "1" });

  const { inputs } = await setup.plugin.check(PATCH, configMap("shared", { ours: "2" }), { olds: patch.inputs });
  expect(await setup.plugin.diff(PATCH, patch, inputs)).toMatchObject({ changes: "some", replaces: [] });
  const outputs = await setup.plugin.update(PATCH, patch, inputs);
  expect(await dataOf("shared")).toEqual({ theirs: "1", ours: "2" });

  await setup.plugin.delete(PATCH, { id: patch.id, inputs, outputs });
  expect(await dataOf("shared")).toEqual({ theirs: "1" });
  expect(await managersOf("shared")).toEqual(["pulumi-kubernetes"]);
});

test("a field of somebody else is a conflict that names who, and taken over when asked for", async () => {
  await setup.plugin.up(CONFIG_MAP, configMap("contested", { field: "theirs" }));
  await expect(setup.plugin.up(PATCH, configMap("contested", { field: "ours" }))).rejects.toThrow(
    /field conflict.*conflict with "pulumi-kubernetes".*: \.data\.field/s,
  );
  const forced = configMap("contested", { field: "ours" }, { "pulumi.com/patchForce": "true" });
  await setup.plugin.up(PATCH, forced);
  expect(await dataOf("contested")).toEqual({ field: "ours" });
});

test("a field manager of its own is the one that is said, and another one later takes the fields along", async () => {
  await setup.plugin.up(CONFIG_MAP, configMap("managed", { theirs: "1" }));
  const force = { "pulumi.com/patchForce": "true" };
  const by = (name: string) => configMap("managed", { ours: "1" }, { ...force, "pulumi.com/patchFieldManager": name });
  const patch = await setup.plugin.up(PATCH, by("first"));
  expect(patch.outputs["__fieldManager"]).toBe("first");
  expect(await managersOf("managed")).toContain("first");
  const { inputs } = await setup.plugin.check(PATCH, by("second"), { olds: patch.inputs });
  const outputs = await setup.plugin.update(PATCH, patch, inputs);
  expect(outputs["__fieldManager"]).toBe("second");
  expect(await managersOf("managed")).toContain("second");
  expect(await managersOf("managed")).not.toContain("first");
  await setup.plugin.delete(PATCH, { id: patch.id, inputs, outputs });
  expect(await dataOf("managed")).toEqual({ theirs: "1" });
});

test("one that is the only manager of a required field cannot be deleted, and says which and what to do", async () => {
  const spec = { ports: [{ port: 80 }] };
  const skipAwait = { annotations: { "pulumi.com/skipAwait": "true" } };
  const patch = await setup.plugin.up(`${SERVICE}Patch`, object("v1", "Service", "needed", { spec }, skipAwait));
  await expect(setup.plugin.delete(`${SERVICE}Patch`, patch)).rejects.toThrow(
    "this Patch resource is currently managing a required field, so it can't be deleted directly. " +
      "Either set the `retainOnDelete` resource option, or transfer ownership of the field before deleting: spec.ports",
  );
  expect(await setup.plugin.read(SERVICE, "default/needed")).toBeDefined();
});

test("it needs a name, and an object that is not there is made", async () => {
  await expect(setup.plugin.check(PATCH, { apiVersion: "v1", kind: "ConfigMap", data: {} })).rejects.toThrow(
    "patch resources require the `.metadata.name` field to be set",
  );
  await setup.plugin.up(PATCH, configMap("made", { a: "1" }));
  expect(await dataOf("made")).toEqual({ a: "1" });
});

test("a patch cannot be looked up by id: there is no such kind", async () => {
  await setup.plugin.up(CONFIG_MAP, configMap("looked-up", {}));
  expect(await setup.plugin.read(PATCH, "default/looked-up")).toBeUndefined();
});

test("a refresh sees its own fields only", async () => {
  await setup.plugin.up(CONFIG_MAP, configMap("drifting", { theirs: "1" }));
  const patch = await setup.plugin.up(PATCH, configMap("drifting", { ours: "1" }));
  const found = (await setup.plugin.read(PATCH, patch.id, patch.outputs, patch.inputs))!;
  expect(found.inputs["data"]).toEqual({ ours: "1" });
  expect(found.outputs["data"]).toEqual({ theirs: "1", ours: "1" });
});
