import { startPlugin, type Plugin } from "../support/plugin.ts";

const DECODE = "kubernetes:yaml:decode";
const kubeconfig = JSON.stringify({
  "current-context": "a",
  contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
  clusters: [{ name: "a", cluster: { server: "https://127.0.0.1:1" } }],
  users: [{ name: "a", user: {} }],
});

let plugin: Plugin;
beforeAll(async () => (plugin = await startPlugin("kubernetes", { config: { kubeconfig } })));
afterAll(() => plugin?.[Symbol.asyncDispose]());

const text = `
{apiVersion: v1, kind: Namespace, metadata: {name: space}}
---
# nothing
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {quoted: "yes", here: ., machine: e2}
immutable: yes
---
{kind: Incomplete}
`;
const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "space" } };
const configMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  data: { quoted: "yes", here: ".", machine: "e2" },
  immutable: true,
};

test("the objects of a text are decoded as Kubernetes reads them, without a cluster", async () => {
  const { result } = await plugin.invoke(DECODE, { text });
  expect(result).toEqual({ result: [namespace, { ...configMap, metadata: { name: "c" } }] });
});

test("a default namespace is for what lives in one", async () => {
  const { result } = await plugin.invoke(DECODE, { text, defaultNamespace: "d" });
  expect(result).toEqual({ result: [namespace, { ...configMap, metadata: { name: "c", namespace: "d" } }] });
});

test("without a text it says what is missing", async () => {
  await expect(plugin.invoke(DECODE, {})).rejects.toThrow("missing required field 'text' of type string");
});
