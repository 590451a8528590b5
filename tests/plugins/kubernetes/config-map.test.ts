import { Secret } from "../../../toolchain/plugins/server/index.ts";
import { startApiServer, type ApiServer } from "../../support/api-server.ts";
import { startPlugin, type Plugin } from "../support/plugin.ts";

const CONFIG_MAP = "kubernetes:core/v1:ConfigMap";
let server: ApiServer;
let plugin: Plugin;

beforeAll(async () => {
  server = await startApiServer({ controllerManager: true });
  plugin = await startPlugin("kubernetes", { config: { kubeconfig: server.kubeconfig } });
}, 120_000);
afterAll(async () => {
  await plugin?.[Symbol.asyncDispose]();
  await server?.stop();
});

const configMap = (name: string | undefined, data: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: name === undefined ? {} : { name },
  data,
});

test("a checked object has a namespace, and a name of its own when the program gives none", async () => {
  const { inputs } = await plugin.check(CONFIG_MAP, configMap(undefined, { a: "1" }), { name: "settings" });
  const { name } = inputs["metadata"] as { name: string };
  expect(name).toMatch(/^settings-[0-9a-f]{8}$/);
  expect(inputs).toEqual({
    ...configMap(name, { a: "1" }),
    metadata: { name, namespace: "default", annotations: { "pulumi.com/autonamed": "true" } },
  });
});

test("the state holds the live object, the inputs, the first apiVersion and the field manager", async () => {
  const state = await plugin.up(CONFIG_MAP, configMap("state", { a: "1" }));
  expect(state.id).toBe("default/state");
  expect(state.outputs).toEqual({
    apiVersion: "v1",
    kind: "ConfigMap",
    data: { a: "1" },
    metadata: {
      name: "state",
      namespace: "default",
      creationTimestamp: expect.any(String),
      resourceVersion: expect.any(String),
      uid: expect.any(String),
      managedFields: [
        expect.objectContaining({ manager: "pulumi-kubernetes", operation: "Update", fieldsType: "FieldsV1" }),
      ],
    },
    __inputs: { ...configMap("state", { a: "1" }), metadata: { name: "state", namespace: "default" } },
    __initialApiVersion: "v1",
    __fieldManager: expect.stringMatching(/^pulumi-kubernetes-[0-9a-f]{8}$/),
  });
});

test("an object that is already there is an error", async () => {
  await plugin.up(CONFIG_MAP, configMap("twice", { a: "1" }));
  await expect(plugin.up(CONFIG_MAP, configMap("twice", { a: "2" }))).rejects.toThrow(
    'was not successfully created by the Kubernetes API server: configmaps "twice" already exists\n\n' +
      "The resource already exists in the cluster. This can happen when:",
  );
});

test("the same inputs are no change", async () => {
  const state = await plugin.up(CONFIG_MAP, configMap("same", { a: "1" }));
  const answer = await plugin.diff(CONFIG_MAP, state, state.inputs);
  expect(answer).toEqual({
    changes: "none",
    replaces: [],
    diffs: [],
    stables: [],
    deleteBeforeReplace: false,
    detailed: {},
  });
});

test("changed data replaces, before the new one is made when the program gave the name", async () => {
  const state = await plugin.up(CONFIG_MAP, configMap("replaced", { a: "1", b: "2" }));
  const { inputs } = await plugin.check(CONFIG_MAP, configMap("replaced", { a: "9", c: "3" }), { olds: state.inputs });
  expect(await plugin.diff(CONFIG_MAP, state, inputs)).toMatchObject({
    changes: "some",
    replaces: ["data.a", "data.b", "data.c"],
    deleteBeforeReplace: true,
    detailed: {
      "data.a": { kind: "update-replace", inputDiff: false },
      "data.b": { kind: "delete-replace", inputDiff: true },
      "data.c": { kind: "add-replace", inputDiff: false },
    },
  });
});

test("a preview shows what the server would make", async () => {
  const { inputs } = await plugin.check(CONFIG_MAP, configMap("previewed", { a: "1" }));
  const outputs = await plugin.preview(CONFIG_MAP, inputs);
  expect(outputs).toMatchObject({ data: { a: "1" }, metadata: { name: "previewed", uid: expect.any(String) } });
  expect(await plugin.read(CONFIG_MAP, "default/previewed")).toBeUndefined();
});

test("a deleted object is gone, also when someone else deleted it before", async () => {
  const state = await plugin.up(CONFIG_MAP, configMap("deleted", { a: "1" }));
  await plugin.delete(CONFIG_MAP, state);
  expect(await plugin.read(CONFIG_MAP, state.id, state.outputs, state.inputs)).toBeUndefined();
  await plugin.delete(CONFIG_MAP, state);
});

test("secret values stay secret", async () => {
  const state = await plugin.up(CONFIG_MAP, {
    ...configMap("secretive", {}),
    data: { a: new Secret("hidden"), b: "open" },
  });
  expect(state.outputs["data"]).toEqual({ a: new Secret("hidden"), b: "open" });
  expect(state.outputs["__inputs"]).toMatchObject({ data: { a: new Secret("hidden"), b: "open" } });
});
