import { jest } from "@jest/globals";
import { connect, type KubeClient, type KubeObject } from "../../../../lib/kube/client.ts";
import { haltDeployments, resumeDeployments } from "../../../../lib/etcd/runtime/pod-programs.ts";
import { startApiServer, type ApiServer } from "../../../support/api-server.ts";

jest.setTimeout(120_000);

const path = (name: string) => `/apis/apps/v1/namespaces/default/deployments/${name}`;
const deployment = (name: string, replicas: number, annotations = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, annotations },
  spec: {
    replicas,
    selector: { matchLabels: { "app.kubernetes.io/instance": name } },
    template: {
      metadata: { labels: { "app.kubernetes.io/instance": name } },
      spec: { containers: [{ name, image: "none" }] },
    },
  },
});

let server: ApiServer;
let client: KubeClient;
beforeAll(async () => {
  server = await startApiServer({ controllerManager: true });
  client = await connect(server.kubeconfig);
});
afterAll(() => server?.stop());

/** As @pulumi/kubernetes does it: what others own is a conflict. */
const declare = (name: string, replicas: number, annotations = {}) =>
  client.apply(path(name), deployment(name, replicas, annotations), {
    query: { fieldManager: "pulumi-kubernetes-0123", force: "false" },
  });
const replicasOf = async (name: string) => (await client.get(path(name)))["spec"]?.replicas as number;
const podsOf = async (name: string) => {
  const query = { labelSelector: `app.kubernetes.io/instance=${name}` };
  return (await client.get<{ items: object[] }>("/api/v1/namespaces/default/pods", { query })).items.length;
};

/** As a kubelet says it of one that is ready. */
async function serve(name: string): Promise<void> {
  const pods = "/api/v1/namespaces/default/pods";
  const query = { labelSelector: `app.kubernetes.io/instance=${name}` };
  while ((await podsOf(name)) === 0) await new Promise((r) => setTimeout(r, 50));
  const { items } = await client.get<{ items: KubeObject[] }>(pods, { query });
  const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  for (const { metadata } of items) await client.merge(`${pods}/${metadata?.name}/status`, { status });
}

test("programs are ended with all their pods, and whoever declares them brings them back without force", async () => {
  await declare("one", 2);
  await declare("other", 1);
  while ((await podsOf("one")) !== 2 || (await podsOf("other")) !== 1) await new Promise((r) => setTimeout(r, 50));
  await haltDeployments(client, "default", ["one", "there-is-none"]);
  expect([await replicasOf("one"), await podsOf("one"), await replicasOf("other"), await podsOf("other")]).toEqual([
    0, 0, 1, 1,
  ]);
  await haltDeployments(client, "default", ["one"]);
  const { metadata } = await declare("one", 2, { follows: "a restore" });
  expect([await replicasOf("one"), metadata?.annotations?.["follows"]]).toEqual([2, "a restore"]);
});

test("what was halted is started as it was, and what somebody started since is left alone", async () => {
  await declare("first", 3);
  await declare("second", 1);
  await haltDeployments(client, "default", ["first", "second"]);
  await declare("second", 2);
  const resumed = resumeDeployments(client, "default", ["first", "second", "there-is-none"]);
  await serve("first");
  await resumed;
  expect([await replicasOf("first"), await replicasOf("second")]).toEqual([3, 2]);
  await client.merge(path("first"), { spec: { replicas: 0 } });
  await resumeDeployments(client, "default", ["first"]);
  expect(await replicasOf("first")).toBe(0);
});

test("the others begin once the first serves, as they would end without it and be started again only later and later", async () => {
  await declare("api-server", 1);
  await declare("controller", 1);
  await haltDeployments(client, "default", ["api-server", "controller"]);
  const resumed = resumeDeployments(client, "default", ["api-server", "controller"]);
  while ((await podsOf("api-server")) === 0) await new Promise((r) => setTimeout(r, 50));
  await new Promise((r) => setTimeout(r, 1000));
  expect(await replicasOf("controller")).toBe(0);
  await serve("api-server");
  await resumed;
  expect(await replicasOf("controller")).toBe(1);
});
