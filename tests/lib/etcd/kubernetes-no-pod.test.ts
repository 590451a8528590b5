import { setTimeout as sleep } from "node:timers/promises";
import { whyNoPod } from "../../../lib/etcd/kubernetes-no-pod.ts";
import { connect, type KubeClient, type KubeObject } from "../../../lib/kube/client.ts";
import { type ApiServer, startApiServer } from "../../support/api-server.ts";

const namespace = "/api/v1/namespaces/fleet";
const labels = { app: "etcd-0" };
const statefulSet = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "etcd-0" },
  spec: {
    serviceName: "etcd",
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "etcd", image: "none" }] } },
  },
};
const refusal =
  'it has no pod yet: Create Pod etcd-0-0 in StatefulSet etcd-0 failed error: pods "etcd-0-0" is forbidden: exceeded quota: small, requested: pods=1, used: pods=0, limited: pods=0';

/** With the controllers of Kubernetes itself: they write the events. */
describe("a member whose namespace has no room for its pod", () => {
  let server: ApiServer;
  let client: KubeClient;
  beforeAll(async () => {
    server = await startApiServer({ controllerManager: true });
    client = await connect(server.kubeconfig);
    await client.create("/api/v1/namespaces", { metadata: { name: "fleet" } });
    await client.create(`${namespace}/resourcequotas`, { metadata: { name: "small" }, spec: { hard: { pods: "0" } } });
    const counted = async () => (await client.get(`${namespace}/resourcequotas/small`))["status"]?.used !== undefined;
    while (!(await counted())) await sleep(200);
  }, 120_000);
  afterAll(() => server?.stop());

  test("has none yet, where nothing was refused", async () => {
    expect(await whyNoPod(client, "fleet", "etcd-0")).toBe("it has no pod yet");
  });

  test("tells what its StatefulSet was refused it for, to who may list events", async () => {
    await client.create("/apis/apps/v1/namespaces/fleet/statefulsets", statefulSet);
    while ((await whyNoPod(client, "fleet", "etcd-0")) === "it has no pod yet") await sleep(200);
    expect(await whyNoPod(client, "fleet", "etcd-0")).toBe(refusal);
    expect(await whyNoPod(client, "fleet", "etcd-1")).toBe("it has no pod yet");
    expect(await whyNoPod(await nobody(), "fleet", "etcd-0")).toBe("it has no pod yet");
  }, 60_000);

  /** A service account without any rights. */
  async function nobody(): Promise<KubeClient> {
    await client.create(`${namespace}/serviceaccounts`, { metadata: { name: "nobody" } });
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
    const { status } = await client.create<KubeObject>(`${namespace}/serviceaccounts/nobody/token`, request);
    const kubeconfig = JSON.parse(server.kubeconfig) as object;
    return connect(JSON.stringify({ ...kubeconfig, users: [{ name: "test", user: { token: status.token } }] }));
  }
});
