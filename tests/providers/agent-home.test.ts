/** The namespace of an agent in a real member, with the account of its pod. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { parse, stringify } from "yaml";
import { connect } from "../../lib/kube/client.ts";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";
import { provider } from "../../providers/agent-home-impl.ts";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { startKarmadaPlane, type KarmadaPlane } from "../support/karmada-plane.ts";
import { Programs } from "../support/running.ts";

const port = 31970;
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const namespacePath = "/api/v1/namespaces/karmada-agent";
const role = "karmada-agent:karmada-agent";

jest.setTimeout(150_000);

const programs = new Programs(mkdtempSync(join(tmpdir(), "agent-home-")));
let plane: KarmadaPlane;
let member: Cluster;
const warned = jest.spyOn(console, "warn").mockImplementation(() => {});

beforeAll(async () => {
  const etcd = await startEtcd(programs, port + 10);
  [plane, member] = await Promise.all([
    startKarmadaPlane(programs, etcd, port),
    startCluster(programs, etcd, { name: "one", port: port + 12, flags: { "disable-admission-plugins": "" } }),
  ]);
}, 240_000);
afterAll(() => programs.remove());
beforeEach(() => warned.mockClear());

const inputs = (more: object = {}) => ({
  cluster: "m1",
  namespace: "karmada-agent",
  deployment: "prod",
  karmadaKubeconfig: plane.kubeconfig,
  memberKubeconfig: member.kubeconfig,
  pods: { nodeSelector: {}, tolerations: [] },
  timeoutSeconds: 60,
  ...more,
});
const reasons = async (more: object = {}, before: object = {}) =>
  ((await provider.check(before, inputs(more))).failures ?? []).map(({ reason }) => reason);
/** What of its kinds the member has, by path. */
const dump = async () => {
  const kinds = [
    "/api/v1/namespaces",
    "/api/v1/serviceaccounts",
    `${rbac}/clusterroles`,
    `${rbac}/clusterrolebindings`,
  ];
  const lists = await Promise.all(kinds.map((kind) => member.client.get<{ items: { metadata: object }[] }>(kind)));
  return lists.flatMap(({ items }) =>
    items.map(({ metadata }) => JSON.stringify(metadata).match(/"name":"[^"]+"/)?.[0]),
  );
};

test("a member without nodes is refused in the preview, for an agent that is not there yet", async () => {
  expect(await reasons()).toEqual(["no node takes the pods: there is none"]);
  expect(await reasons({}, inputs())).toEqual([]);
  await member.client.create("/api/v1/nodes", { metadata: { name: "node", labels: { zone: "a" } } });
  await member.client.merge("/api/v1/nodes/node", { spec: { taints: null } });
  expect(await reasons({ pods: { nodeSelector: { zone: "b" }, tolerations: [] } })).toEqual([
    "no node takes the pods: none has the labels zone=b",
  ]);
});

test("a kubeconfig that reaches the member otherwise than a pod there does is refused in the preview", async () => {
  const config = parse(member.kubeconfig) as { clusters: { cluster: Record<string, unknown> }[] };
  const { server } = config.clusters[0]!.cluster;
  config.clusters[0]!.cluster = { server, "insecure-skip-tls-verify": true };
  expect(await reasons({ memberKubeconfig: stringify(config) })).toEqual([
    'it has insecure-skip-tls-verify, and an agent in the member reaches it otherwise; want a kubeconfig without, or agent.kind "beside"',
  ]);
});

test("its account may do what is propagated and nobody else has its token; what is changed is found and put right; gone without a trace", async () => {
  await waitFor("the member's own objects", deadlineIn(60), async () => {
    const found = await member.client.find("/api/v1/namespaces/kube-node-lease/serviceaccounts/default");
    return found === undefined ? new Pending("not yet") : undefined;
  });
  const before = await dump();
  const { id, outs } = await provider.create(inputs());
  const made = await member.client.get(namespacePath);
  expect([id, outs["uid"]]).toEqual(["m1", made.metadata?.uid]);
  expect(made.metadata).toMatchObject({
    annotations: { "karmada-pulumi/deployment": "prod, agent of m1" },
    labels: { "pod-security.kubernetes.io/enforce": "restricted" },
  });
  expect((await provider.create(inputs())).outs).toEqual(outs);
  const read = await provider.read(id, outs);
  expect(read.props["drift"]).toBeUndefined();

  const { status } = await member.client.create(`${namespacePath}/serviceaccounts/karmada-agent/token`, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: {},
  });
  const config = parse(member.kubeconfig) as { users: { user: object }[] };
  config.users[0]!.user = { token: status.token };
  const agent = await connect(stringify(config));
  await agent.create("/api/v1/namespaces/default/configmaps", { metadata: { name: "propagated" } });
  await agent.delete("/api/v1/namespaces/default/configmaps/propagated");
  const secrets = await member.client.get<{ items: object[] }>(`${namespacePath}/secrets`);
  expect(secrets.items).toEqual([]);

  await member.client.delete(`${rbac}/clusterrolebindings/${role}`);
  await member.client.merge(`${rbac}/clusterroles/${role}`, { rules: [] });
  expect((await provider.read(id, outs)).props["drift"]).toEqual([
    `cluster role ${role}: its rules were changed`,
    `cluster role binding ${role}: is gone from the member`,
  ]);
  await provider.update(id, outs, inputs());
  expect((await provider.read(id, outs)).props["drift"]).toBeUndefined();

  await provider.delete(id, outs);
  expect(await dump()).toEqual(before);
  expect(warned).not.toHaveBeenCalled();
  expect((await provider.read(id, outs)).id).toBeUndefined();
});

test("a namespace of others is refused in the preview, and neither taken over nor deleted", async () => {
  await member.client.create("/api/v1/namespaces", {
    metadata: { name: "karmada-agent", annotations: { "karmada-pulumi/deployment": "prod, agent of m2" } },
  });
  const taken =
    '"karmada-agent" is there already and belongs to the deployment "prod, agent of m2", want one of its own';
  expect(await reasons()).toEqual([taken]);
  await expect(provider.create(inputs())).rejects.toThrow(`m1: namespace: ${taken}`);
  await provider.delete("m1", inputs());
  expect(await member.client.find(namespacePath)).toMatchObject({ metadata: { name: "karmada-agent" } });
  await member.client.delete(namespacePath);
});

test("from a member that does not answer, or is another by now, it is not taken, and what is left is told", async () => {
  const left = `left there: namespace karmada-agent with the agent, which may still run; ClusterRole and ClusterRoleBinding ${role} (full rights)`;
  const nowhere = member.kubeconfig.replace(`:${port + 12}`, ":31799");
  await provider.delete("m1", { ...inputs({ memberKubeconfig: nowhere, timeoutSeconds: 2 }), member: "u" });
  await provider.delete("m1", { ...inputs(), member: "another" });
  const said = warned.mock.calls.map(([text]) => String(text));
  expect(said).toEqual([expect.stringContaining(left), expect.stringContaining(left)]);
  expect(said[0]).toMatch(/^m1: its agent was not taken away: .*connection refused/);
  expect(said[1]).toMatch(/^m1: its agent was not taken away: it is another cluster now, /);
});
