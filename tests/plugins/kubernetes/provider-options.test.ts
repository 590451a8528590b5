/** What the provider's own options change, imports, and what goes along with a deleted object. */
import { setTimeout as sleep } from "node:timers/promises";
import { accessOf } from "../../../toolchain/plugins/kubernetes/access.ts";
import { ApiClient } from "../../../toolchain/plugins/kubernetes/api-client.ts";
import { loadKubeconfig } from "../../../toolchain/plugins/kubernetes/kubeconfig.ts";
import { Throttle } from "../../../toolchain/plugins/kubernetes/throttle.ts";
import { startApiServer, type ApiServer } from "../../support/api-server.ts";
import { startPlugin, type Plugin } from "../support/plugin.ts";
import { object } from "./support.ts";

const CONFIG_MAP = "kubernetes:core/v1:ConfigMap";
const DEPLOYMENT = "kubernetes:apps/v1:Deployment";
let server: ApiServer;
let plugin: Plugin;
let api: ApiClient;

beforeAll(async () => {
  server = await startApiServer({ controllerManager: true });
  plugin = await startPlugin("kubernetes", { config: { kubeconfig: server.kubeconfig } });
  const throttle = new Throttle({ perSecond: -1, burst: 0 });
  api = new ApiClient(await accessOf(loadKubeconfig(server.kubeconfig), {}), { throttle });
}, 120_000);
afterAll(async () => {
  api?.close();
  await plugin?.[Symbol.asyncDispose]();
  await server?.stop();
});

const configMap = (name: string, data: Record<string, string>, fields = {}) =>
  object("v1", "ConfigMap", name, { data, ...fields });
const configMaps = "/api/v1/namespaces/default/configmaps";
const withOptions = (options: Record<string, string>) =>
  startPlugin("kubernetes", { config: { kubeconfig: server.kubeconfig, ...options } });
const uidOf = ({ outputs }: { outputs: object }) => (outputs as { metadata: { uid: string } }).metadata.uid;

/** An object that somebody else made, as kubectl makes them. */
const byKubectl = (name: string, data: Record<string, string>) =>
  api.request(configMaps, { method: "POST", query: { fieldManager: "kubectl-create" }, body: configMap(name, data) });

test("enableConfigMapMutable: changed data updates the object, unless that says it is immutable", async () => {
  await using mutable = await withOptions({ enableConfigMapMutable: "true" });
  const state = await mutable.up(CONFIG_MAP, configMap("mutable", { a: "1" }));
  const news = configMap("mutable", { a: "2" });
  expect(await mutable.diff(CONFIG_MAP, state, news)).toMatchObject({ changes: "some", replaces: [] });
  const outputs = await mutable.update(CONFIG_MAP, state, news);
  expect(outputs).toMatchObject({ data: { a: "2" }, metadata: { uid: uidOf(state) } });

  const fixed = await mutable.up(CONFIG_MAP, configMap("fixed", { a: "1" }, { immutable: true }));
  const changed = configMap("fixed", { a: "2" }, { immutable: true });
  expect(await mutable.diff(CONFIG_MAP, fixed, changed)).toMatchObject({ replaces: ["data.a"] });
});

test("upsertExistingObjects: an object that is there already is gone on with, and keeps what others set", async () => {
  await byKubectl("upserted", { theirs: "1" });
  await using upserting = await withOptions({ upsertExistingObjects: "true" });
  const state = await upserting.up(CONFIG_MAP, configMap("upserted", { ours: "2" }));
  expect(await api.request(`${configMaps}/upserted`)).toMatchObject({
    data: { theirs: "1", ours: "2" },
    metadata: { uid: uidOf(state) },
  });
});

test("enablePatchForce: a field that another manager set is refused without it, and taken over with it", async () => {
  await byKubectl("contested", { a: "theirs" });
  const ours = configMap("contested", { a: "ours" });
  await using polite = await withOptions({ upsertExistingObjects: "true" });
  await expect(polite.up(CONFIG_MAP, ours)).rejects.toThrow(/conflict with "kubectl-create".*: \.data\.a/);
  expect(await api.request(`${configMaps}/contested`)).toMatchObject({ data: { a: "theirs" } });
  await using forceful = await withOptions({ upsertExistingObjects: "true", enablePatchForce: "true" });
  expect((await forceful.up(CONFIG_MAP, ours)).outputs).toMatchObject({ data: { a: "ours" } });
});

test("an imported object has the inputs that a program gives it, and is no change then", async () => {
  await byKubectl("imported", { a: "1" });
  const found = (await plugin.read(CONFIG_MAP, "default/imported"))!;
  expect(found.inputs).toEqual(configMap("imported", { a: "1" }));
  expect(found.outputs).toMatchObject({ metadata: { uid: expect.any(String) }, __initialApiVersion: "v1" });
  const { inputs } = await plugin.check(CONFIG_MAP, configMap("imported", { a: "1" }), { olds: found.inputs });
  expect(await plugin.diff(CONFIG_MAP, found, inputs)).toMatchObject({ changes: "none" });
  await plugin.delete(CONFIG_MAP, found);
  await expect(api.request(`${configMaps}/imported`)).rejects.toMatchObject({ code: 404 });
  expect(await plugin.read(CONFIG_MAP, "default/imported")).toBeUndefined();
});

test.each([
  ["orphan", true],
  ["foreground", false],
  ["background", false],
])("deletionPropagationPolicy %s: whether what the object made stays is %s", async (policy, stays) => {
  const name = `web-${policy}`;
  const metadata = {
    annotations: { "pulumi.com/deletionPropagationPolicy": policy, "pulumi.com/skipAwait": "true" },
  };
  const labels = { app: name };
  const spec = {
    replicas: 0,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web" }] } },
  };
  const state = await plugin.up(DEPLOYMENT, object("apps/v1", "Deployment", name, { spec }, metadata));
  await until(async () => (await replicaSets(name)).length === 1);
  await plugin.delete(DEPLOYMENT, state);
  const deployment = `/apis/apps/v1/namespaces/default/deployments/${name}`;
  await until(() =>
    api.request(deployment).then(
      () => false,
      () => true,
    ),
  ); // skipAwait is for the delete too
  if (stays) expect((await replicaSets(name)).map(({ metadata }) => metadata.ownerReferences)).toEqual([undefined]);
  else await until(async () => (await replicaSets(name)).length === 0);
});

async function replicaSets(app: string) {
  const list = await api.request("/apis/apps/v1/namespaces/default/replicasets", {
    query: { labelSelector: `app=${app}` },
  });
  return list["items"] as unknown as { metadata: { ownerReferences?: unknown } }[];
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error("waited 20 s in vain");
    await sleep(100);
  }
}
