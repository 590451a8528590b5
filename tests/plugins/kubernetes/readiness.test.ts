import { failure, object, setUp, type Setup } from "./support.ts";

const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "example.com/a" }] } };
const deployment = (name: string, replicas: number, annotations = {}) =>
  object(
    "apps/v1",
    "Deployment",
    name,
    { spec: { replicas, selector: { matchLabels: { app: "a" } }, template } },
    { annotations },
  );
const configMap = (name: string, waitFor: string) =>
  object("v1", "ConfigMap", name, { data: { phase: "done" } }, { annotations: { "pulumi.com/waitFor": waitFor } });
const service = (name: string, spec: object) => object("v1", "Service", name, { spec: { ...spec } });

const DEPLOYMENT = "kubernetes:apps/v1:Deployment";
const CONFIG_MAP = "kubernetes:core/v1:ConfigMap";
const SERVICE = "kubernetes:core/v1:Service";

let setup: Setup;
beforeAll(async () => (setup = await setUp()), 120_000);
afterAll(() => setup?.stop());

test("a deployment whose pods do not come up is kept in the state, with what it lacks", async () => {
  const error = await failure(setup.plugin.up(DEPLOYMENT, deployment("stuck", 1), { timeout: 3 }));
  const message =
    'resource "urn:pulumi:test::plugins::kubernetes:apps/v1:Deployment::thing" was successfully created, but the ' +
    "Kubernetes API server reported that it failed to fully initialize or become live: 'stuck' timed out waiting to be Ready";
  expect(error.message).toBe(message);
  expect(error.id).toBe("default/stuck");
  expect(error.reasons).toEqual([
    message,
    "[MinimumReplicasUnavailable] Deployment does not have minimum availability.",
    "Minimum number of live Pods was not attained",
  ]);
  expect(error.outputs).toMatchObject({ __initialApiVersion: "apps/v1", metadata: { name: "stuck" } });
});

test("a deployment without replicas is ready when its ReplicaSet is there", async () => {
  const { outputs } = await setup.plugin.up(DEPLOYMENT, deployment("empty", 0), { timeout: 20 });
  expect(outputs).toMatchObject({ metadata: { annotations: { "deployment.kubernetes.io/revision": "1" } } });
});

test("skipAwait does not wait", async () => {
  const skipping = deployment("unwatched", 1, { "pulumi.com/skipAwait": "true" });
  const { id } = await setup.plugin.up(DEPLOYMENT, skipping, { timeout: 3 });
  expect(id).toBe("default/unwatched");
});

test.each([
  ["of type ExternalName", { type: "ExternalName", externalName: "example.com", selector: { app: "none" } }],
  ["that is headless", { clusterIP: "None", selector: { app: "none" }, ports: [{ port: 80 }] }],
  ["without a selector", { ports: [{ port: 80 }] }],
])("a service %s does not wait for endpoints", async (what, spec) => {
  const name = what.replaceAll(/\W/g, "-").toLowerCase();
  const started = performance.now();
  await setup.plugin.up(SERVICE, service(name, spec), { timeout: 8 });
  expect(performance.now() - started).toBeLessThan(5_000);
});

test("a load balancer that nobody provides is named", async () => {
  const spec = { type: "LoadBalancer", ports: [{ port: 80 }] };
  const { reasons } = await failure(setup.plugin.up(SERVICE, service("balanced", spec), { timeout: 2 }));
  expect(reasons.slice(1)).toEqual([
    "Service does not target any Pods. Selected Pods may not be ready, or field '.spec.selector' may not match labels on any Pods",
    "Service was not allocated an IP address; does your cloud provider support this?",
  ]);
});

test("waitFor takes paths with and without a value, and lists", async () => {
  await setup.plugin.up(CONFIG_MAP, configMap("value", "jsonpath={.data.phase}=done"), { timeout: 5 });
  await setup.plugin.up(CONFIG_MAP, configMap("list", '["jsonpath={.data.phase}", "jsonpath={.metadata.name}=list"]'), {
    timeout: 5,
  });
  const waiting = setup.plugin.up(CONFIG_MAP, configMap("other", "jsonpath={.data.phase}=begun"), { timeout: 1 });
  expect((await failure(waiting)).message).toMatch(/become live: timed out waiting for the condition$/);
});

test("a cancelled deployment ends a wait and keeps the object", async () => {
  const waiting = failure(setup.plugin.up(DEPLOYMENT, deployment("cancelled", 1), { timeout: 60 }));
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await setup.plugin.cancel();
  expect((await waiting).message).toMatch(/Resource operation was cancelled for "cancelled"$/);
});
