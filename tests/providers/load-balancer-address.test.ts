import { connect, type KubeClient } from "../../lib/kube/client.ts";
import { provider } from "../../providers/load-balancer-address-impl.ts";
import { startApiServer, type ApiServer } from "../support/api-server.ts";
import { said } from "../support/said.ts";

let server: ApiServer;
let client: KubeClient;
const services = "/api/v1/namespaces/default/services";
const inputsOf = (service: string, timeoutSeconds: number) => ({
  kubeconfig: server.kubeconfig,
  namespace: "default",
  service,
  annotations: {},
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

describe("of one that is there", () => {
  const first = { ip: "203.0.113.7" };
  const other = { hostname: "other.example.org" };
  const made = async (name: string) => {
    await addService(name);
    await assign(name, [first]);
    const inputs = inputsOf(name, 4);
    return { inputs, ...(await provider.create(inputs)) };
  };

  test("a preview knows the address also when the kubeconfig is another, so that nothing else differs for it", async () => {
    const { id, outs, inputs } = await made("renewed");
    const renewed = { ...inputs, kubeconfig: `${server.kubeconfig}\n# renewed` };
    expect((await provider.check(undefined, inputs)).inputs).not.toHaveProperty("address");
    const { inputs: again } = await provider.check(inputs, inputs);
    expect((await provider.diff(id, outs, again)).changes).toBe(false);
    const { inputs: checked } = await provider.check(again, renewed);
    expect(checked).toEqual({ ...renewed, address: first.ip, addresses: [first.ip] });
    expect((await provider.diff(id, outs, checked)).changes).toBe(true);
  }, 60_000);

  test("another address is a difference", async () => {
    const { id, outs, inputs } = await made("moved");
    await assign("moved", [other]);
    const { inputs: checked } = await provider.check({ ...inputs, address: first.ip }, inputs);
    expect(checked.address).toBe(other.hostname);
    expect((await provider.diff(id, outs, checked)).changes).toBe(true);
    expect((await provider.update(id, outs, checked)).outs.address).toBe(other.hostname);
  }, 60_000);

  test("one of several is kept wherever it stands among them, and another is taken once it is gone", async () => {
    const { id, outs, inputs } = await made("several");
    const renewed = { ...inputs, kubeconfig: `${server.kubeconfig}\n# renewed` };
    const added = { ip: "198.51.100.9" };
    await assign("several", [added, first]);
    const before = { ...inputs, address: first.ip };
    const { inputs: checked } = await provider.check(before, inputs);
    expect(checked).toEqual({ ...inputs, address: first.ip, addresses: [added.ip, first.ip] });
    expect((await provider.diff(id, outs, checked)).changes).toBe(false);
    expect((await provider.check(before, renewed)).inputs.address).toBe(first.ip);
    expect((await provider.read(id, outs)).props).toMatchObject({ address: first.ip });
    expect((await provider.update(id, outs, renewed)).outs.address).toBe(first.ip);
    // After the first `up` the inputs do not have it yet.
    const { inputs: unknowing } = await provider.check(inputs, inputs);
    expect((await provider.diff(id, outs, unknowing)).changes).toBe(false);
    await assign("several", [added, other]);
    const { inputs: moved } = await provider.check({ ...before, address: other.hostname }, inputs);
    expect(moved.address).toBe(other.hostname);
    expect((await provider.diff(id, outs, moved)).changes).toBe(true);
    expect((await provider.update(id, outs, moved)).outs.address).toBe(other.hostname);
    expect((await provider.read(id, outs)).props).toMatchObject({ address: added.ip });
  }, 60_000);

  test("after an edit of its annotations another of several is waited for as long as the known one is among them", async () => {
    const { id, outs, inputs } = await made("reordered");
    const edited = { ...inputs, annotations: { "example.org/inside": "true" }, address: first.ip };
    await assign("reordered", [other, first]);
    const stays = await said(() => provider.update(id, outs, edited));
    expect(stays).toEqual([
      `default/reordered: it is still ${first.ip}; if it gets another address later, run \`up\` again`,
    ]);
    const changed = provider.update(id, outs, edited);
    await assign("reordered", [other]);
    expect((await changed).outs.address).toBe(other.hostname);
  }, 60_000);

  test("a host cluster that does not answer makes no difference, and a preview goes on with the last address", async () => {
    const { id, outs, inputs } = await made("unseen");
    const before = { ...inputs, address: first.ip };
    const away = { ...inputs, kubeconfig: server.kubeconfig.replace(server.url, "https://127.0.0.1:1") };
    const { inputs: checked } = await provider.check({ ...before, kubeconfig: away.kubeconfig }, away);
    expect(checked).toEqual(away);
    expect((await provider.diff(id, { ...outs, kubeconfig: away.kubeconfig }, checked)).changes).toBe(false);
    expect((await provider.check(before, away)).inputs.address).toBe(first.ip);
  }, 60_000);

  test("a Service that is gone is warned of with what makes it anew, and found by a refresh", async () => {
    const { id, outs, inputs } = await made("gone");
    const before = { ...inputs, address: first.ip };
    await client.delete(`${services}/gone`);
    const check = (olds: object) => said(() => provider.check(olds, inputs));
    expect(await check(before)).toEqual([
      "warning: the Service default/gone is gone, and its load balancer with it: `up --refresh` makes it anew",
    ]);
    const seen = await provider.read(id, outs);
    expect(seen.props).toMatchObject({ address: first.ip, drift: ["the Service default/gone is gone"] });
    expect(await check(seen.inputs ?? {})).toEqual([
      "warning: the Service default/gone is gone, and its load balancer with it: where the new one gets another address, certificates and kubeconfigs are made for that",
    ]);
    await addService("gone");
    const { inputs: checked } = await provider.check(seen.inputs, inputs);
    expect(checked.address).toBe(first.ip);
    const mended = provider.update(id, seen.props ?? {}, checked);
    await assign("gone", [other]);
    expect((await mended).outs.address).toBe(other.hostname);
  }, 60_000);

  test("after an edit of its annotations another address is waited for, and one that stays is said", async () => {
    const { id, outs, inputs } = await made("edited");
    const edited = { ...inputs, annotations: { "example.org/inside": "true" }, address: first.ip };
    expect((await provider.diff(id, outs, edited)).changes).toBe(true);
    const stays = await said(() => provider.update(id, outs, edited));
    expect(stays).toEqual([
      `default/edited: it is still ${first.ip}; if it gets another address later, run \`up\` again`,
    ]);
    const changed = provider.update(id, outs, edited);
    await assign("edited", [other]);
    expect((await changed).outs.address).toBe(other.hostname);
    const { annotations: _, ...ofBefore } = outs;
    expect(await said(() => provider.update(id, { ...ofBefore, address: other.hostname }, edited))).toEqual([]);
  }, 60_000);
});
