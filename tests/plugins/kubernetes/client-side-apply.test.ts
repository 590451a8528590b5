import type { Properties } from "../../../toolchain/plugins/server/index.ts";
import { startPlugin, type Plugin } from "../support/plugin.ts";
import { object, setUp, type Setup, widgets } from "./support.ts";

const DEPLOYMENT = "kubernetes:apps/v1:Deployment";
const CONFIG_MAP = "kubernetes:core/v1:ConfigMap";
const CRD = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition";

let setup: Setup;
let others: Plugin;
beforeAll(async () => {
  setup = await setUp({ enableServerSideApply: "false" });
  others = await startPlugin("kubernetes", { config: { kubeconfig: setup.kubeconfig } });
}, 120_000);
afterAll(async () => {
  await others?.[Symbol.asyncDispose]();
  await setup?.stop();
});

/** Makes `olds`, lets `meanwhile` happen, then updates to `news`; the live object. */
async function change(type: string, olds: Properties, news: Properties, meanwhile = async () => {}) {
  const state = await setup.plugin.up(type, olds);
  await meanwhile();
  const { inputs } = await setup.plugin.check(type, news, { olds: state.inputs });
  return setup.plugin.update(type, state, inputs);
}

/** Applies fields of an object in the name of somebody else. */
async function elsewhere(type: string, fields: Properties) {
  const annotations = { "pulumi.com/patchForce": "true" };
  const metadata = { ...(fields["metadata"] as object), annotations };
  await others.up(`${type}Patch`, { ...fields, metadata });
}

const skipAwait = { annotations: { "pulumi.com/skipAwait": "true" } };
const deployment = (name: string, pod: Properties, spec: Properties = {}) =>
  object(
    "apps/v1",
    "Deployment",
    name,
    {
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: "a" } },
        template: { metadata: { labels: { app: "a" } }, spec: pod },
        ...spec,
      },
    },
    skipAwait,
  );
const podOf = (live: Properties) =>
  (live["spec"] as { template: { spec: { containers: Properties[]; volumes?: Properties[] } } }).template.spec;

test("a new object says that Pulumi manages it, and has one field manager for good", async () => {
  const state = await setup.plugin.up(CONFIG_MAP, object("v1", "ConfigMap", "labelled", { data: { a: "1" } }));
  expect(state.outputs).toMatchObject({
    metadata: {
      labels: { "app.kubernetes.io/managed-by": "pulumi" },
      managedFields: [expect.objectContaining({ manager: "pulumi-kubernetes", operation: "Update" })],
    },
    __fieldManager: "pulumi-kubernetes",
  });
});

test("elements of a list are changed by their names: what others put beside them stays", async () => {
  const own = (image: string, env: Properties[]) => ({ containers: [{ name: "own", image, env }] });
  const [a, b] = ["a", "b"].map((name) => ({ name, value: name }));
  const live = await change(
    DEPLOYMENT,
    deployment("beside", own("example.com/a:1", [a!, b!])),
    deployment("beside", own("example.com/a:2", [b!])),
    () =>
      elsewhere(DEPLOYMENT, {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "beside", namespace: "default" },
        spec: {
          template: {
            spec: {
              containers: [
                { name: "own", env: [{ name: "theirs", value: "t" }] },
                { name: "sidecar", image: "example.com/sidecar" },
              ],
            },
          },
        },
      }),
  );
  expect(podOf(live).containers).toEqual([
    expect.objectContaining({
      name: "own",
      image: "example.com/a:2",
      env: [
        { name: "b", value: "b" },
        { name: "theirs", value: "t" },
      ],
    }),
    expect.objectContaining({ name: "sidecar", image: "example.com/sidecar" }),
  ]);
});

test("an element that the program drops goes, and the order is the program's", async () => {
  const containers = (...names: string[]) => ({
    containers: names.map((name) => ({ name, image: "example.com/a" })),
  });
  const live = await change(
    DEPLOYMENT,
    deployment("order", containers("a", "b", "c")),
    deployment("order", containers("c", "a")),
  );
  expect(podOf(live).containers.map(({ name }) => name)).toEqual(["c", "a"]);
});

test("another kind of volume or strategy takes the place of the old one", async () => {
  const containers = [{ name: "own", image: "example.com/a" }];
  const live = await change(
    DEPLOYMENT,
    deployment("kinds", { containers, volumes: [{ name: "v", emptyDir: { sizeLimit: "1Mi" } }] }),
    deployment(
      "kinds",
      { containers, volumes: [{ name: "v", configMap: { name: "c" } }] },
      { strategy: { type: "Recreate" } },
    ),
  );
  expect(podOf(live).volumes).toEqual([{ name: "v", configMap: { name: "c", defaultMode: 420 } }]);
  expect(live["spec"]).toMatchObject({ strategy: { type: "Recreate" } });
  expect((live["spec"] as { strategy: object }).strategy).not.toHaveProperty("rollingUpdate");
});

test("finalizers are a set: others' stay, dropped ones go", async () => {
  const claim = (finalizers: string[]) =>
    object("v1", "ServiceAccount", "set", {}, { finalizers: finalizers.map((name) => `example.com/${name}`) });
  const type = "kubernetes:core/v1:ServiceAccount";
  const live = await change(type, claim(["a", "b"]), claim(["b", "c"]), () => elsewhere(type, claim(["theirs"])));
  const { finalizers } = live["metadata"] as { finalizers: string[] };
  expect([...finalizers].sort()).toEqual(["example.com/b", "example.com/c", "example.com/theirs"]);
});

test("a custom resource gets a merge patch: maps are merged, lists replaced", async () => {
  await setup.plugin.up(CRD, widgets());
  const type = "kubernetes:example.com/v1:Widget";
  const widget = (spec: Properties) => object("example.com/v1", "Widget", "w", { spec });
  const live = await change(
    type,
    widget({ list: [{ name: "a" }, { name: "b" }], map: { a: 1, b: 2 }, gone: true }),
    widget({ list: [{ name: "b" }], map: { a: 3 } }),
    () => elsewhere(type, widget({ map: { theirs: 4 } })),
  );
  expect(live["spec"]).toEqual({ list: [{ name: "b" }], map: { a: 3, theirs: 4 } });
});

test("what somebody changed by hand is put back with the next update", async () => {
  const type = "kubernetes:core/v1:ServiceAccount";
  const account = (labels: Properties) => object("v1", "ServiceAccount", "drifted", {}, { labels });
  const live = await change(type, account({ ours: "1" }), account({ ours: "1", more: "1" }), () =>
    elsewhere(type, account({ ours: "2", theirs: "2" })),
  );
  expect((live["metadata"] as { labels: object }).labels).toMatchObject({ ours: "1", more: "1", theirs: "2" });
});

test("patch resources need server-side apply", async () => {
  await expect(setup.plugin.check(`${CONFIG_MAP}Patch`, object("v1", "ConfigMap", "refused", {}))).rejects.toThrow(
    "patch resources require Server-Side Apply mode, which is enabled using the `enableServerSideApply` Provider config",
  );
});
