/** What keeps a member's pod from other nodes, of a real API server. */
import type { PreparedMember } from "../../../lib/etcd/kubernetes-member.ts";
import { refuseWithoutNode } from "../../../lib/etcd/kubernetes-nodes.ts";
import { connect, type KubeClient, type KubeObject } from "../../../lib/kube/client.ts";
import { deadlineIn, waitFor } from "../../../lib/wait.ts";
import { accountKubeconfig, grant } from "../../support/account-kubeconfig.ts";
import { startApiServer, type ApiServer } from "../../support/api-server.ts";

let server: ApiServer;
let client: KubeClient;
const nodes = "/api/v1/nodes";
const pods = "/api/v1/namespaces/default/pods";
const autoscaler = "/api/v1/namespaces/kube-system/configmaps";
const kind = { "app.kubernetes.io/name": "etcd", "karmada-pulumi/alone": "true" };
const containers = [{ name: "etcd", image: "none" }];

beforeAll(async () => {
  server = await startApiServer();
  client = await connect(server.kubeconfig);
  for (const [name, zone] of Object.entries({ node1: "a", node2: "a", node3: "b" })) {
    const labels = { "kubernetes.io/hostname": `${name}.example.org`, "topology.kubernetes.io/zone": zone };
    await client.create(nodes, { metadata: { name, labels } });
    // What every node is marked with until its kubelet has said that it is ready.
    await client.merge(`${nodes}/${name}`, { spec: { taints: null } });
  }
  await client.create("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
}, 120_000);
afterAll(() => server?.stop());
afterEach(() => Promise.all(["node1", "node2", "node3"].map((name) => cordon(name, false))));

const cordon = (name: string, unschedulable = true) => client.merge(`${nodes}/${name}`, { spec: { unschedulable } });

/** A volume for nodes with a label of that value, and the claim bound to it. */
async function claimFor(key: string, value: string): Promise<KubeObject> {
  const name = `pvc-${value}`;
  await client.create("/api/v1/persistentvolumes", {
    metadata: { name },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      local: { path: "/var/lib/data" },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values: [value] }] }] },
      },
    },
  });
  return { metadata: { name: "etcd-0-data-1" }, spec: { volumeName: name } };
}

const refusal = (claim: KubeObject, spec: object = {}, as = client) => {
  const prepared = { revision: "r1", template: { spec: { containers, ...spec } }, claim: {} } as PreparedMember;
  return refuseWithoutNode(as, "default", "etcd-0", prepared, claim).catch(({ message }: Error) => message);
};
const refused = (why: string) =>
  `etcd-0: left running as it is: no node takes a pod in its place: ${why}\nlook at placement.nodeSelector and placement.tolerations, or those of placement.pods.etcd, and for a node that is cordoned`;
const cordoned = (name: string) => `${name} has the taint node.kubernetes.io/unschedulable:NoSchedule`;

test("a pod goes to no node where its volume is not, whatever provisions nodes", async () => {
  const claim = await claimFor("kubernetes.io/hostname", "node1.example.org");
  expect(await refusal(claim)).toBeUndefined();
  await cordon("node1");
  const expected = refused(`${cordoned("node1")}, and its volume pvc-node1.example.org is within reach of no other`);
  expect(await refusal(claim)).toBe(expected);
  await client.create(autoscaler, { metadata: { name: "cluster-autoscaler-status" } });
  expect(await refusal(claim)).toBe(expected);
  await client.delete(`${autoscaler}/cluster-autoscaler-status`);
  expect(await refusal({})).toBeUndefined();
  expect(await refusal(claim, { nodeSelector: { "topology.kubernetes.io/zone": "b" } })).toBe(
    refused("its volume pvc-node1.example.org is within reach of none of node3"),
  );
});

test("a volume of a zone is within reach of its nodes, and of one that may be made there", async () => {
  const claim = await claimFor("topology.kubernetes.io/zone", "a");
  await cordon("node1");
  expect(await refusal(claim)).toBeUndefined();
  await cordon("node2");
  expect(await refusal(claim)).toBe(
    refused(`${cordoned("node1")}, ${cordoned("node2")}, and its volume pvc-a is within reach of no other`),
  );
  await client.create(autoscaler, { metadata: { name: "cluster-autoscaler-status" } });
  expect(await refusal(claim)).toBeUndefined();
  await client.delete(`${autoscaler}/cluster-autoscaler-status`);
});

test("who may not read volumes is held up by none", async () => {
  const kubeconfig = await accountKubeconfig(client, server.kubeconfig, "deployer");
  const rules = [{ apiGroups: [""], resources: ["nodes"], verbs: ["list"] }];
  await grant(client, "deployer", rules);
  const deployer = await connect(kubeconfig);
  await waitFor("the API server to go by its rights", deadlineIn(10), () => deployer.get(nodes));
  const claim = await claimFor("topology.kubernetes.io/zone", "c");
  expect(await refusal(claim)).toBe(refused("its volume pvc-c is within reach of none of node1, node2, node3"));
  expect(await refusal(claim, {}, deployer)).toBeUndefined();
});

test("a node with another member is none where they have to be alone", async () => {
  const affinity = (topologyKey: string) => ({
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: kind } }],
      },
    },
  });
  const alone = affinity("kubernetes.io/hostname");
  for (const [name, nodeName] of [
    ["etcd-0-0", "node1"],
    ["etcd-1-0", "node2"],
    ["etcd-2-0", "node3"],
  ]) {
    await client.create(pods, { metadata: { name, labels: kind }, spec: { nodeName, containers } });
  }
  expect(await refusal({}, alone)).toBeUndefined();
  await cordon("node1");
  expect(await refusal({})).toBeUndefined();
  expect(await refusal({}, alone)).toBe(
    refused(
      `${cordoned("node1")}, node2 has etcd-1-0 (placement.antiAffinity is "required"), node3 has etcd-2-0 (placement.antiAffinity is "required")`,
    ),
  );
  // One that ends makes room.
  await client.delete(`${pods}/etcd-2-0`);
  expect(await refusal({}, alone)).toBeUndefined();
});
