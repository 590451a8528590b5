import { UNKNOWN } from "../../../toolchain/plugins/server/index.ts";
import type { Properties } from "../../../toolchain/plugins/server/index.ts";
import { object, setUp, type Setup } from "./support.ts";

const ROLE_BINDING = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding";
const SECRET = "kubernetes:core/v1:Secret";
const DEPLOYMENT = "kubernetes:apps/v1:Deployment";

let setup: Setup;
beforeAll(async () => (setup = await setUp()), 120_000);
afterAll(() => setup?.stop());

/** What changes when `olds` become `news`. */
async function change(type: string, olds: Properties, news: Properties, ignoreChanges: string[] = []) {
  const state = await setup.plugin.up(type, olds);
  const { inputs } = await setup.plugin.check(type, news, { olds: state.inputs });
  return setup.plugin.diff(type, state, inputs, ignoreChanges);
}

const binding = (name: string, role: string) => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "someone" }],
});

test("another role replaces a binding, other subjects do not", async () => {
  expect(await change(ROLE_BINDING, binding("one", "a"), binding("one", "b"))).toMatchObject({
    replaces: ["roleRef.name"],
    deleteBeforeReplace: true,
  });
  const others = { ...binding("two", "a"), subjects: [] };
  expect(await change(ROLE_BINDING, binding("two", "a"), others)).toMatchObject({
    replaces: [],
    detailed: { subjects: { kind: "delete", inputDiff: true } },
  });
});

test("stringData and data that say the same are the same", async () => {
  const secret = (fields: Properties) => object("v1", "Secret", "same", fields);
  const answer = await change(SECRET, secret({ stringData: { a: "b" } }), secret({ data: { a: "Yg==" } }));
  expect(answer).toMatchObject({ changes: "none", replaces: [] });
});

const deployment = (name: string, container: Properties, spec: Properties = {}) =>
  object(
    "apps/v1",
    "Deployment",
    name,
    {
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: "a" } },
        template: {
          metadata: { labels: { app: "a" } },
          spec: { hostNetwork: false, containers: [{ name: "c", image: "example.com/a", ...container }] },
        },
        ...spec,
      },
    },
    { annotations: { "pulumi.com/skipAwait": "true" } },
  );

test("what Kubernetes writes in another way is no change", async () => {
  const resources = { limits: { cpu: "1000m", memory: "1024Mi" }, requests: { cpu: 0.5 } };
  const inputs = deployment("canonical", { resources, env: [], unknownField: 1 });
  expect(await change(DEPLOYMENT, inputs, inputs)).toMatchObject({ changes: "none", detailed: {} });
});

test("ignored changes are none, for the field and for what contains it", async () => {
  const [olds, news] = [deployment("ignored", {}), deployment("ignored", {}, { replicas: 2 })];
  expect(await change(DEPLOYMENT, olds, news, ["spec.replicas"])).toMatchObject({ changes: "none" });
});

test("a value that is not known yet changes its field", async () => {
  const state = await setup.plugin.up(DEPLOYMENT, deployment("unknown", {}));
  const answer = await setup.plugin.diff(DEPLOYMENT, state, deployment("unknown", { image: UNKNOWN }));
  expect(answer.detailed).toEqual({
    "spec.template.spec.containers[0].image": { kind: "update", inputDiff: false },
    // with something unknown in them the inputs are compared as they are written
    "spec.template.spec.hostNetwork": { kind: "add", inputDiff: false },
  });
});

test("drift shows after a refresh, and only in what the program asked for", async () => {
  const NAMESPACE = "kubernetes:core/v1:Namespace";
  const inputs = { apiVersion: "v1", kind: "Namespace", metadata: { name: "drifting", labels: { a: "1" } } };
  const state = await setup.plugin.up(NAMESPACE, inputs);
  await setup.plugin.up(`${NAMESPACE}Patch`, {
    ...inputs,
    metadata: { name: "drifting", labels: { a: "2", b: "3" }, annotations: { "pulumi.com/patchForce": "true" } },
  });
  const refreshed = await setup.plugin.read(NAMESPACE, state.id, state.outputs, state.inputs);
  expect(refreshed?.inputs).toMatchObject({ metadata: { labels: { a: "2" } } });
  expect(await setup.plugin.diff(NAMESPACE, refreshed!, state.inputs)).toMatchObject({
    detailed: { "metadata.labels.a": { kind: "update", inputDiff: false } },
  });
});
