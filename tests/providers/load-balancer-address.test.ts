import { connect, type KubeClient } from "../../lib/kube/client.ts";
import { provider } from "../../providers/load-balancer-address-impl.ts";
import { startApiServer, type ApiServer } from "../support/api-server.ts";

let server: ApiServer;
let client: KubeClient;
const services = "/api/v1/namespaces/default/services";
const inputsOf = (service: string, timeoutSeconds: number) => ({
  kubeconfig: server.kubeconfig,
  namespace: "default",
  service,
  timeoutSeconds,
});
const addService = (name: string) =>
  client.create(services, { metadata: { name }, spec: { type: "LoadBalancer", ports: [{ port: 443 }] } });
const assign = (name: string, ingress: object[]) =>
  client.merge(`${services}/${name}/status`, { status: { loadBalancer: { ingress } } });

beforeAll(async () => {
  server = await startApiServer();
  client = await connect(server.kubeconfig);
}, 120_000);
afterAll(() => server?.stop());

test("it waits for the first address, be it a number or a name, and sees when it is another", async () => {
  await addService("api");
  const made = provider.create(inputsOf("api", 30));
  await assign("api", [{ ip: "203.0.113.7" }, { ip: "203.0.113.8" }]);
  const { id, outs } = await made;
  expect([id, outs.address]).toEqual(["default/api", "203.0.113.7"]);
  await assign("api", [{ hostname: "lb.example.org" }]);
  expect((await provider.read(id, outs)).props).toMatchObject({ address: "lb.example.org" });
  const { changes } = await provider.diff(id, { ...outs, address: "lb.example.org" }, inputsOf("api", 30));
  expect(changes).toBe(false);
}, 60_000);

test("a cloud that makes none is named with its own words", async () => {
  await addService("none");
  const what = "waited 1s for a load balancer for the Service default/none";
  await expect(provider.create(inputsOf("none", 1))).rejects.toThrow(
    `${what}: nobody has begun to make one: does the host cluster make load balancers?`,
  );
  await client.create("/api/v1/namespaces/default/events", {
    metadata: { name: "none.1" },
    involvedObject: { kind: "Service", namespace: "default", name: "none" },
    reason: "SyncLoadBalancerFailed",
    message: "quota of addresses exceeded",
    lastTimestamp: "2026-01-02T03:04:05Z",
  });
  await expect(provider.create(inputsOf("none", 1))).rejects.toThrow(
    `${what}: SyncLoadBalancerFailed: quota of addresses exceeded`,
  );
}, 60_000);
