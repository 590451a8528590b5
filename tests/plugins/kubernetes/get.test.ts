/** Objects looked up by their id alone, as `.get` and `pulumi import` do, and kinds that stand for more than one object. */
import type { Properties } from "../../../toolchain/plugins/server/index.ts";
import { Secret } from "../../../toolchain/plugins/server/index.ts";
import { object, setUp, type Setup, widgets } from "./support.ts";

const CONFIG_MAP = "kubernetes:core/v1:ConfigMap";
const CRD = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition";
const DEPLOYMENT = "kubernetes:apps/v1:Deployment";
const NAMESPACE = "kubernetes:core/v1:Namespace";
const SECRET = "kubernetes:core/v1:Secret";
const SERVICE = "kubernetes:core/v1:Service";
const WIDGET = "kubernetes:example.com/v1:Widget";

let setup: Setup;
beforeAll(async () => (setup = await setUp()), 120_000);
afterAll(() => setup?.stop());

const skipAwait = { annotations: { "pulumi.com/skipAwait": "true" } };
const metadataOf = (properties: Properties) => properties["metadata"] as Record<string, unknown>;

test("a deployment's inputs are all that a program may set, what the server filled in too, and no status", async () => {
  const template = {
    metadata: { labels: { app: "a" } },
    spec: { containers: [{ name: "c", image: "example.com/a" }] },
  };
  const spec = { replicas: 0, selector: { matchLabels: { app: "a" } }, template };
  const { outputs } = await setup.plugin.up(DEPLOYMENT, object("apps/v1", "Deployment", "got", { spec }, skipAwait));
  const found = (await setup.plugin.read(DEPLOYMENT, "default/got"))!;
  expect(found.id).toBe("default/got");
  expect(found.inputs).toEqual({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "got", namespace: "default", annotations: skipAwait.annotations },
    spec: outputs["spec"],
  });
  expect(found.inputs["spec"]).toMatchObject({ revisionHistoryLimit: 10, strategy: { type: "RollingUpdate" } });
  expect(found.outputs).toMatchObject({
    __initialApiVersion: "apps/v1",
    __inputs: found.inputs,
    __fieldManager: expect.stringMatching(/^pulumi-kubernetes-[0-9a-f]{8}$/),
    metadata: { uid: metadataOf(outputs)["uid"] },
    status: expect.anything(),
  });
  const { inputs } = await setup.plugin.check(DEPLOYMENT, found.inputs, { olds: found.inputs });
  expect(await setup.plugin.diff(DEPLOYMENT, found, inputs)).toMatchObject({ changes: "none" });
});

test("a deployment that is not ready is found all the same", async () => {
  const template = {
    metadata: { labels: { app: "b" } },
    spec: { containers: [{ name: "c", image: "example.com/b" }] },
  };
  const spec = { replicas: 1, selector: { matchLabels: { app: "b" } }, template };
  await setup.plugin.up(DEPLOYMENT, object("apps/v1", "Deployment", "unready", { spec }, skipAwait));
  expect(await setup.plugin.read(DEPLOYMENT, "default/unready")).toMatchObject({ id: "default/unready" });
});

test("an id without a namespace is of the default one, or of a kind that has none", async () => {
  await setup.plugin.up(SERVICE, object("v1", "Service", "plain", { spec: { ports: [{ port: 80 }] } }, skipAwait));
  expect(await setup.plugin.read(SERVICE, "plain")).toMatchObject({
    id: "plain",
    inputs: { metadata: { name: "plain", namespace: "default" }, spec: { type: "ClusterIP" } },
  });
  const found = await setup.plugin.read(NAMESPACE, "kube-system");
  expect(found).toMatchObject({ id: "kube-system", outputs: { status: { phase: "Active" } } });
  expect(found!.inputs).toEqual({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "kube-system", labels: { "kubernetes.io/metadata.name": "kube-system" } },
    spec: { finalizers: ["kubernetes"] },
  });
});

test("a secret's data are secret, in inputs and outputs", async () => {
  await setup.plugin.up(SECRET, object("v1", "Secret", "hidden", { stringData: { a: "b" } }));
  const found = (await setup.plugin.read(SECRET, "default/hidden"))!;
  expect(found.inputs).toEqual({
    ...object("v1", "Secret", "hidden", { type: "Opaque" }),
    data: new Secret({ a: "Yg==" }),
  });
  expect(found.outputs).toMatchObject({
    data: new Secret({ a: "Yg==" }),
    __inputs: { data: new Secret({ a: "Yg==" }) },
  });
});

test("of a custom kind nobody says what a program may set: its inputs are what names it", async () => {
  await setup.plugin.up(CRD, widgets());
  await setup.plugin.up(WIDGET, object("example.com/v1", "Widget", "w", { spec: { a: 1 } }));
  const found = (await setup.plugin.read(WIDGET, "default/w"))!;
  expect(found.inputs).toEqual(object("example.com/v1", "Widget", "w", {}));
  expect(found.outputs).toMatchObject({ spec: { a: 1 }, __inputs: found.inputs });
});

test("what is not there, or of a kind that is not there, is not found", async () => {
  expect(await setup.plugin.read(CONFIG_MAP, "default/nothing")).toBeUndefined();
  expect(await setup.plugin.read(CONFIG_MAP, "nowhere/nothing")).toBeUndefined();
  expect(await setup.plugin.read("kubernetes:example.com/v1:Gadget", "default/g")).toBeUndefined();
});

test("an id without a name is refused", async () => {
  await expect(setup.plugin.read(CONFIG_MAP, "default/")).rejects.toThrow(
    "failed to read resource because of a failure to parse resource name from request ID: default/",
  );
});

const refusal =
  "list resources exist for compatibility with YAML manifests and Helm charts, " +
  "and cannot be created directly. Use the underlying resource type instead";

test.each(["core/v1:ConfigMapList", "apps/v1:DeploymentList", "networking.k8s.io/v1:IngressList"])(
  "a %s is refused with what to use instead",
  async (type) => {
    const [apiVersion, kind] = type.replace("core/", "").split(":") as [string, string];
    await expect(setup.plugin.check(`kubernetes:${type}`, { apiVersion, kind, items: [] })).rejects.toThrow(refusal);
  },
);

test("a custom kind may be called a list", async () => {
  const list = object("example.com/v1", "WidgetList", "mine", { spec: {} });
  expect((await setup.plugin.check("kubernetes:example.com/v1:WidgetList", list)).failures).toEqual([]);
});
