/** What the preview says against a host cluster, of a real API server. */
import { jest } from "@jest/globals";
import { connect, type KubeClient } from "../../lib/kube/client.ts";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { provider } from "../../providers/owned-namespace-impl.ts";
import { accountKubeconfig, grant } from "../support/account-kubeconfig.ts";
import { startApiServer, type ApiServer } from "../support/api-server.ts";
import { namespaceInputs } from "../support/namespace-inputs.ts";

jest.setTimeout(120_000);

let server: ApiServer;
let client: KubeClient;
let inputs: Record<string, unknown>;
const said = jest.spyOn(console, "log").mockImplementation(() => {});
const pods = { nodeSelector: {}, tolerations: [], apart: {}, required: false };

beforeAll(async () => {
  server = await startApiServer();
  client = await connect(server.kubeconfig);
  inputs = { ...namespaceInputs(server.kubeconfig), pods };
  for (const [name, labels] of [
    ["a", { zone: "1" }],
    ["b", { zone: "2" }],
  ] as const) {
    await client.create("/api/v1/nodes", { metadata: { name, labels } });
    // What every node is marked with until its kubelet has said that it is ready.
    await client.merge(`/api/v1/nodes/${name}`, { spec: { taints: null } });
  }
});
afterAll(() => server?.stop());
beforeEach(() => said.mockClear());

/** What forbids to go on. */
const reasons = async (more: object = {}, before: object = {}) =>
  ((await provider.check(before, { ...inputs, ...more })).failures ?? []).map(({ reason }) => reason);
const warnings = () => said.mock.calls.flatMap(([text]) => String(text).split("\n"));
const deployments = "/apis/apps/v1/namespaces/fleet/deployments";
const deploymentOf = (metadata: object) => ({
  metadata,
  spec: {
    selector: { matchLabels: { app: "x" } },
    template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "x", image: "x" }] } },
  },
});
const versionsOf = async () => {
  const kinds = [
    "/api/v1/namespaces",
    "/api/v1/services",
    "/api/v1/nodes",
    "/api/v1/secrets",
    "/apis/apps/v1/deployments",
  ];
  const lists = await Promise.all(kinds.map((kind) => client.get<{ items: object[] }>(kind)));
  return lists.map(({ items }) => items);
};

test("a cluster that is as it has to be is not spoken against", async () => {
  expect(await reasons()).toEqual([]);
  expect(warnings()).toEqual([]);
});

test("a database that may outgrow the volume that is there is warned of", async () => {
  const path = "/api/v1/namespaces/default/persistentvolumeclaims";
  await client.create(path, {
    metadata: {
      name: "etcd-0-data-1",
      labels: { "karmada-pulumi/member": "etcd-0", "karmada-pulumi/incarnation": "1" },
    },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "10Gi" } } },
  });
  await client.merge(`${path}/etcd-0-data-1/status`, { status: { capacity: { storage: "10Gi" } } });
  await reasons({ namespace: "default", databases: { "etcd-0": 16 * 2 ** 30 } });
  expect(warnings()).toEqual([expect.stringMatching(/^warning: the volume of etcd-0 has 10\.0Gi, /)]);
  await client.delete(`${path}/etcd-0-data-1`);
});

test("all that speaks against a cluster is one report, and nothing is written", async () => {
  await client.create("/api/v1/namespaces/default/services", {
    metadata: { name: "web" },
    spec: { type: "NodePort", selector: { app: "web" }, ports: [{ port: 80, nodePort: 32443 }] },
  });
  await client.create("/api/v1/namespaces", { metadata: { name: "fleet" } });
  await client.create(deployments, deploymentOf({ name: "karmada-apiserver" }));
  const before = await versionsOf();
  const { gitVersion } = await client.get<{ gitVersion: string }>("/version");
  const more = { oldest: "1.99", storageClass: "", pods: { ...pods, apart: { etcd: 3 }, required: true } };
  expect(await reasons(more)).toEqual([
    `the host cluster has Kubernetes ${gitVersion}, want 1.99 or newer`,
    '"fleet" is there already and has a Karmada of karmadactl init in it (Deployment karmada-apiserver), want one of its own',
    "the host cluster has no default storage class, want one named in placement.storage (there is none)",
    '3 pods of etcd, and 2 nodes for them, want 3 nodes, or placement.antiAffinity "preferred"',
    "karmada-apiserver: NodePort 32443 is taken by the Service default/web, want another in placement.exposure",
  ]);
  expect(await versionsOf()).toEqual(before);
  await client.delete("/api/v1/namespaces/default/services/web");
});

test.each([
  [
    "karmada-operator",
    { labels: { "app.kubernetes.io/managed-by": "karmada-operator" } },
    "a Karmada of karmada-operator",
  ],
  ["Helm", { annotations: { "meta.helm.sh/release-name": "plane" } }, 'the Helm release "plane"'],
  ["this program", { labels: { "app.kubernetes.io/managed-by": "karmada-pulumi" } }, "a deployment of this program"],
])("a namespace with what is of %s in it is refused by that name", async (_, metadata, what) => {
  await client.delete(`${deployments}/karmada-apiserver`);
  await client.create(deployments, deploymentOf({ name: "found", ...metadata }));
  expect(await reasons()).toEqual([
    `"fleet" is there already and has ${what} in it (Deployment found), want one of its own`,
  ]);
  await client.delete(`${deployments}/found`);
});

test("a storage class that is missing is said with those that are there", async () => {
  const classes = "/apis/storage.k8s.io/v1/storageclasses";
  await client.create(classes, { metadata: { name: "slow" }, provisioner: "kubernetes.io/no-provisioner" });
  const inOther = { namespace: "other" };
  expect(await reasons({ ...inOther, storageClass: "fast" })).toEqual([
    'the host cluster has no storage class "fast", there is slow',
  ]);
  expect(await reasons({ ...inOther, storageClass: "" })).toEqual([
    "the host cluster has no default storage class, want one named in placement.storage (there is slow)",
  ]);
  expect(await reasons({ ...inOther, storageClass: "slow" })).toEqual([]);
  const [now, before] = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
  ];
  for (const annotations of [{ [now]: "true" }, { [now]: null, [before]: "true" }]) {
    await client.merge(`${classes}/slow`, { metadata: { annotations } });
    expect(await reasons({ ...inOther, storageClass: "" })).toEqual([]);
  }
});

test("a priority class that is missing is said with those that are there", async () => {
  const inOther = { namespace: "other" };
  expect(await reasons({ ...inOther, priorityClass: "gold" })).toEqual([
    'the host cluster has no priority class "gold", want one that is there in placement.priorityClass: system-cluster-critical, system-node-critical',
  ]);
  expect(await reasons({ ...inOther, priorityClass: "system-cluster-critical" })).toEqual([]);
  const ownPriorityClasses = { etcd: "system-node-critical", "karmada-webhook": "gold" };
  expect(await reasons({ ...inOther, ownPriorityClasses })).toEqual([
    'the host cluster has no priority class "gold", want one that is there in placement.pods.karmada-webhook.priorityClass: system-cluster-critical, system-node-critical',
  ]);
});

test("a NodePort is given to no Service of the deployment as long as another one of it has it", async () => {
  const services = "/api/v1/namespaces/ports/services";
  await client.create("/api/v1/namespaces", { metadata: { name: "ports" } });
  await client.create(services, {
    metadata: { name: "etcd-1-outside" },
    spec: { type: "NodePort", selector: { app: "etcd" }, ports: [{ port: 2379, nodePort: 32380 }] },
  });
  const of = async (nodePorts: object) =>
    (await reasons({ namespace: "ports", nodePorts })).filter((reason) => reason.includes("NodePort"));
  expect(await of({ "etcd-0-outside": [32379], "etcd-1-outside": [32380] })).toEqual([]);
  expect(await of({ "etcd-0-outside": [32380], "etcd-1-outside": [32381] })).toEqual([
    "etcd-0-outside: NodePort 32380 is still that of the Service ports/etcd-1-outside, want one that none of the deployment has, if only until the next `up`, in placement.exposure",
  ]);
  await client.delete(`${services}/etcd-1-outside`);
});

test("a NodePort out of the usual range is warned of", async () => {
  expect(await reasons({ namespace: "other", nodePorts: { "karmada-apiserver": [32443, 6443] } })).toEqual([]);
  expect(warnings()).toEqual([
    "warning: karmada-apiserver: NodePort 6443 is out of 30000-32767, which is the range of most clusters; the API server refuses it unless the host cluster has another",
  ]);
});

test("nodes are counted that have the labels, and no taint that is in the way", async () => {
  const of = (more: object) => ({ namespace: "other", pods: { ...pods, ...more } });
  expect(await reasons(of({ nodeSelector: { zone: "3" } }))).toEqual([
    "no node takes the pods: none has the labels zone=3",
  ]);
  await client.merge("/api/v1/nodes/a", { spec: { unschedulable: true } });
  await client.merge("/api/v1/nodes/b", { spec: { taints: [{ key: "only", value: "us", effect: "NoSchedule" }] } });
  expect(await reasons(of({}))).toEqual([
    "no node takes the pods: a has the taint node.kubernetes.io/unschedulable:NoSchedule, b has the taint only=us:NoSchedule",
  ]);
  const tolerations = [{ key: "only", operator: "Equal", value: "us" }];
  const three = of({ tolerations, apart: { etcd: 3, "etcd-events": 3, "karmada-scheduler": 2 } });
  expect(await reasons(three)).toEqual([]);
  expect(warnings()).toEqual([
    "warning: 3 pods of etcd, and 1 node for them: some share one, and with it a majority may be gone",
    "warning: 3 pods of etcd-events, and 1 node for them: some share one, and with it a majority may be gone",
  ]);
  const apart = of({ ...three.pods, required: true });
  const tooFew = [
    '3 pods of etcd, and 1 node for them, want 3 nodes, or placement.antiAffinity "preferred"',
    '3 pods of etcd-events, and 1 node for them, want 3 nodes, or placement.antiAffinity "preferred"',
    '2 pods of karmada-scheduler, and 1 node for them, want 2 nodes, or placement.antiAffinity "preferred"',
  ];
  expect(await reasons(apart)).toEqual(tooFew);
  said.mockClear();
  expect(await reasons(apart, { ...inputs, ...apart })).toEqual([]);
  expect(warnings()).toEqual(tooFew.map((text) => `warning: ${text}`));
});

test("pods of a program with nodes of its own are counted on those, and block nothing while they run as declared", async () => {
  const zone = (program: string, name: string, count: number) => ({
    program,
    ...pods,
    nodeSelector: { zone: name },
    apart: { [program]: count },
    required: true,
  });
  const tolerations = [{ operator: "Exists" }];
  const otherPods = [{ ...zone("etcd", "1", 3), tolerations }, zone("karmada-search", "3", 2)];
  const apart = { namespace: "other", pods: { ...pods, tolerations }, otherPods };
  const expected = [
    '3 pods of etcd, and 1 node for them, want 3 nodes, or placement.antiAffinity "preferred"',
    "no node takes the pods of karmada-search: none has the labels zone=3",
  ];
  expect(await reasons(apart)).toEqual(expected);
  expect(await reasons(apart, { ...inputs, ...apart })).toEqual([]);
  expect(await reasons(apart, { ...inputs, ...apart, otherPods: [] })).toEqual(expected);
});

test("nodes that are missing are only warned of where somebody makes some for pods that find none", async () => {
  const of = (more: object) => ({ namespace: "other", pods: { ...pods, ...more } });
  const none = of({ nodeSelector: { zone: "3" } });
  const message = "no node takes the pods: none has the labels zone=3";
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const status = "/api/v1/namespaces/kube-system/configmaps";
  const metadata = { name: "nodepools.karpenter.sh", annotations: { "api-approved.kubernetes.io": "unapproved" } };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }];
  const names = { plural: "nodepools", kind: "NodePool" };
  await client.create(status, { metadata: { name: "cluster-autoscaler-status", namespace: "kube-system" } });
  expect(await reasons(none)).toEqual([]);
  expect(warnings()).toEqual([`warning: ${message}; the cluster autoscaler may make some`]);
  await client.delete(`${status}/cluster-autoscaler-status`);
  expect(await reasons(none)).toEqual([message]);

  await client.create(crds, { metadata, spec: { group: "karpenter.sh", scope: "Cluster", names, versions } });
  await waitFor("its API", deadlineIn(30), () => client.get("/apis/karpenter.sh"));
  said.mockClear();
  expect(await reasons(none)).toEqual([]);
  expect(warnings()).toEqual([`warning: ${message}; Karpenter may make some`]);
  // A directory is of a node that is there.
  expect(await reasons({ ...none, hostPath: true })).toEqual([message]);
  await client.delete(`${crds}/nodepools.karpenter.sh`);
});

test("each verb that is missing is listed, and what need not be looked at is only warned of", async () => {
  const other = {
    namespace: "other",
    kubeconfig: await accountKubeconfig(client, server.kubeconfig, "deployer"),
  };
  const missing = await reasons(other);
  expect(missing).toHaveLength(10);
  expect(missing[0]).toBe('namespaces in "other": the user of the kubeconfig may not get, create, patch, delete them');

  const declare = ["get", "list", "watch", "create", "patch", "delete", "deletecollection"];
  const rules = [
    {
      apiGroups: [""],
      resources: ["secrets", "services", "configmaps", "pods", "persistentvolumeclaims"],
      verbs: declare,
    },
    { apiGroups: ["apps"], resources: ["deployments", "replicasets"], verbs: declare },
    { apiGroups: ["apps"], resources: ["statefulsets"], verbs: ["get", "create", "patch"] },
    { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: ["get", "list", "watch", "create"] },
    {
      apiGroups: [""],
      resources: ["namespaces"],
      resourceNames: ["other"],
      verbs: ["get", "create", "patch", "delete"],
    },
  ];
  await grant(client, "deployer", rules);
  await waitFor("the API server to go by them", deadlineIn(10), async () => {
    if ((await reasons(other)).includes(missing[0]!)) throw new Error("it refuses as before");
  });
  said.mockClear();
  expect(await reasons({ ...other, storageClass: "", networkPolicies: true })).toEqual([
    'poddisruptionbudgets.policy in "other": the user of the kubeconfig may not patch, delete them',
    'networkpolicies.networking.k8s.io in "other": the user of the kubeconfig may not get, list, watch, create, patch, delete them',
  ]);
  expect(warnings().map((text) => text.replace(/: GET .*/, ""))).toEqual([
    "warning: the storage classes of the host cluster cannot be looked at",
    "warning: the nodes of the host cluster cannot be looked at",
  ]);
  expect((await reasons({ ...other, hostPath: true })).slice(1)).toEqual([
    "persistentvolumes: the user of the kubeconfig may not get, create, patch them",
    "nodes: the user of the kubeconfig may not list them",
  ]);
  expect((await reasons({ ...other, schedules: true })).slice(1)).toEqual([
    'pods/exec in "other": the user of the kubeconfig may not get, create them',
  ]);
  expect((await reasons({ ...other, restores: true })).slice(1)).toEqual([
    'pods/exec in "other": the user of the kubeconfig may not get, create them',
    'pods/log in "other": the user of the kubeconfig may not get them',
    'statefulsets.apps in "other": the user of the kubeconfig may not list them',
  ]);
});

describe("Ingresses", () => {
  const classes = "/apis/networking.k8s.io/v1/ingressclasses";
  const className = (name: string, controller: string, annotations = {}) =>
    client.create(classes, { metadata: { name, annotations }, spec: { controller } });
  // Whatever the nodes are marked with by now.
  const fitting = { namespace: "elsewhere", pods: { ...pods, tolerations: [{ operator: "Exists" }] } };
  const ofClass = (ingressClass: string, annotations: object = {}) =>
    reasons({ ...fitting, ingress: { ingressClass, annotations } });
  const nginx = "nginx.ingress.kubernetes.io/ssl-passthrough";

  test("have to be of a class that there is", async () => {
    expect(await ofClass("")).toEqual([
      "the host cluster has no default ingress class, want one named in placement.exposure (there is none)",
    ]);
    await className("nginx", "k8s.io/ingress-nginx", { "ingressclass.kubernetes.io/is-default-class": "true" });
    await className("contour", "projectcontour.io/ingress-contour/contour");
    await className("own", "example.org/own");
    expect(await ofClass("ngnix")).toEqual([
      'the host cluster has no ingress class "ngnix", there is contour, nginx, own',
    ]);
  });

  test("have to pass TLS through, as far as it is known how their controller does", async () => {
    expect(await ofClass("", { [nginx]: "true" })).toEqual([]);
    const start = 'an Ingress without TLS passthrough: "nginx" is of k8s.io/ingress-nginx, and in';
    expect(await ofClass("nginx")).toEqual([
      `${start} placement.exposure.annotations ${nginx} is missing, want "true"`,
    ]);
    expect(await ofClass("nginx", { [nginx]: "false" })).toEqual([
      `${start} placement.exposure.annotations ${nginx} is "false", want "true"`,
    ]);
    expect(await ofClass("contour", { [nginx]: "true" })).toEqual([
      'an Ingress without TLS passthrough: "contour" is of projectcontour.io/ingress-contour/contour, which passes no TLS of an Ingress through, want another class or another kind of placement.exposure',
    ]);
    expect(warnings()).toEqual([]);
    expect(await ofClass("own")).toEqual([]);
    expect(warnings()).toEqual([
      'warning: "own" is of example.org/own, which has to pass TLS through, and no annotation tells it to',
    ]);
  });
});
