import { type Properties, UNKNOWN } from "../../../toolchain/plugins/server/index.ts";
import { startPlugin, type Plugin } from "../support/plugin.ts";

const kubeconfig = (server: string, token = "t") =>
  JSON.stringify({
    "current-context": "a",
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    clusters: [{ name: "a", cluster: { server } }],
    users: [{ name: "a", user: { token } }],
  });
const one = kubeconfig("https://127.0.0.1:1");
const two = kubeconfig("https://127.0.0.1:2");

let plugin: Plugin;
beforeAll(async () => (plugin = await startPlugin("kubernetes", { config: { kubeconfig: one } })));
afterAll(() => plugin?.[Symbol.asyncDispose]());

test("another cluster replaces the provider, other credentials do not", async () => {
  const diff = (news: string) => plugin.diffConfig({ kubeconfig: one }, { kubeconfig: one }, { kubeconfig: news });
  expect(await diff(two)).toMatchObject({ changes: "some", replaces: ["kubeconfig"] });
  expect(await diff(kubeconfig("https://127.0.0.1:1", "renewed"))).toMatchObject({ changes: "some", replaces: [] });
  expect(await diff(one)).toMatchObject({ changes: "none", replaces: [] });
});

test("a kubeconfig that is not known yet replaces, unless the cluster's identifier stays the same", async () => {
  const olds = { kubeconfig: one };
  expect(await plugin.diffConfig(olds, olds, { kubeconfig: UNKNOWN })).toMatchObject({ replaces: ["kubeconfig"] });
  const named = { kubeconfig: one, clusterIdentifier: "a" };
  const later = { kubeconfig: UNKNOWN, clusterIdentifier: "a" };
  expect(await plugin.diffConfig(named, named, later)).toMatchObject({ changes: "some", replaces: [] });
  const other = { kubeconfig: one, clusterIdentifier: "b" };
  expect(await plugin.diffConfig(named, named, other)).toMatchObject({ replaces: ["clusterIdentifier"] });
});

test("another server of a cluster that is identified replaces nothing, nor does the identifier by itself when it comes or goes", async () => {
  const diff = (olds: Properties, news: Properties) => plugin.diffConfig(olds, olds, news);
  const [named, moved] = [one, two].map((at) => ({ kubeconfig: at, clusterIdentifier: "a" }));
  const none = { changes: "some", replaces: [] };
  expect(await diff(named!, moved!)).toMatchObject(none);
  expect(await diff({ kubeconfig: one }, named!)).toMatchObject(none);
  expect(await diff(named!, { kubeconfig: one })).toMatchObject(none);
  // Both at once still do: before the identifier is in the state it decides nothing.
  expect(await diff({ kubeconfig: one }, moved!)).toMatchObject({ replaces: ["kubeconfig"] });
});

test("an unreachable cluster fails a read and a delete with the way out", async () => {
  const type = "kubernetes:core/v1:ConfigMap";
  const inputs = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" } };
  const state = { id: "default/a", outputs: { ...inputs, __inputs: inputs }, inputs };
  const wayOut = 'PULUMI_K8S_DELETE_UNREACHABLE environment variable set to "true"';
  await expect(plugin.read(type, state.id, state.outputs, inputs)).rejects.toThrow(wayOut);
  await expect(plugin.delete(type, state)).rejects.toThrow(wayOut);
  await expect(plugin.create(type, inputs)).rejects.toThrow("configured Kubernetes cluster is unreachable: ");
  const config = { kubeconfig: one, deleteUnreachable: "true" };
  await using lenient = await startPlugin("kubernetes", { config });
  expect(await lenient.read(type, state.id, state.outputs, inputs)).toBeUndefined();
  await lenient.delete(type, state);
});

// The official plugin can; the stand-in would change the cluster instead.
(process.env["PLUGIN_UNDER_TEST"] ? test.skip : test)("rendering to files is refused by name", async () => {
  expect((await plugin.checkConfig({ kubeconfig: one, renderYamlToDirectory: "manifests" })).failures).toEqual([
    {
      property: "renderYamlToDirectory",
      reason:
        "cannot render files: this project's stand-in would change the cluster; use the official plugin (pulumi plugin install)",
    },
  ]);
  expect((await plugin.checkConfig({ kubeconfig: one })).failures).toEqual([]);
});
