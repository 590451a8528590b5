import { jest } from "@jest/globals";
import { labels, notes, statefulSetOf } from "../../../../lib/etcd/kubernetes-member.ts";
import { KubernetesEtcdRuntime } from "../../../../lib/etcd/runtime/kubernetes.ts";
import { isRunning } from "../../../../lib/kube/pod.ts";
import { connect, type KubeClient, type KubeObject } from "../../../../lib/kube/client.ts";
import { deadlineIn, Pending, waitFor } from "../../../../lib/wait.ts";
import { accountKubeconfig } from "../../../support/account-kubeconfig.ts";
import { startApiServer, type ApiServer } from "../../../support/api-server.ts";

const pod = (status: object, metadata = {}): KubeObject => {
  const containerStatuses = [
    { name: "proxy", state: { waiting: {} }, restartCount: 0 },
    { name: "etcd", ...status },
  ];
  return { apiVersion: "v1", kind: "Pod", metadata, status: { containerStatuses } } as KubeObject;
};
const runs = (of: KubeObject | undefined) => isRunning(of, "etcd");

describe("a member in a pod", () => {
  test("runs while the kubelet keeps it running, also between two starts", () => {
    expect(runs(pod({ state: { running: {} }, restartCount: 0 }))).toBe(true);
    expect(runs(pod({ state: { terminated: { exitCode: 1 } }, restartCount: 0 }))).toBe(true);
    expect(runs(pod({ state: { waiting: { reason: "CrashLoopBackOff" } }, restartCount: 1 }))).toBe(true);
  });

  test("does not run before its first start, nor once it is to be deleted", () => {
    expect(runs(undefined)).toBe(false);
    expect(runs(pod({ state: { waiting: { reason: "ErrImagePull" } }, restartCount: 0 }))).toBe(false);
    expect(runs(pod({ state: { running: {} } }, { deletionTimestamp: "2026-01-01T00:00:00Z" }))).toBe(false);
  });
});

describe("a member of which somebody has edited or deleted the StatefulSet", () => {
  let server: ApiServer;
  beforeAll(async () => (server = await startApiServer()), 120_000);
  afterAll(() => server?.stop());

  test("runs, as no revision", async () => {
    const client = await connect(server.kubeconfig);
    const container = { name: "etcd", image: "none", args: ["--snapshot-count=1"] };
    const template = {
      metadata: { labels: { "app.kubernetes.io/name": "etcd", app: "etcd-0" } },
      spec: { containers: [container] },
    };
    const prepared = { revision: "r1", template: template as unknown as KubeObject, claim: {} };
    const core = "/api/v1/namespaces/default";
    await client.create(`${core}/configmaps`, {
      metadata: { name: "etcd-0-prepared" },
      data: { revision: "r1", member: JSON.stringify(prepared) },
    });
    const path = "/apis/apps/v1/namespaces/default/statefulsets/etcd-0";
    const bootstrap = { token: "t", state: "new", initialCluster: "", incarnation: 1 } as const;
    const claim = { metadata: { name: "etcd-0-data-1" } };
    await client.apply(path, statefulSetOf("etcd-0", prepared, bootstrap, claim));
    await client.create(`${core}/serviceaccounts`, { metadata: { name: "default" } });
    await client.create(`${core}/pods`, {
      metadata: { name: "etcd-0-0", annotations: { [labels.revision]: "r1" } },
      spec: { containers: [container] },
    });
    const status = { containerStatuses: [{ name: "etcd", restartCount: 1, ready: true, image: "", imageID: "" }] };
    await client.merge(`${core}/pods/etcd-0-0/status`, { status });
    const runtime = new KubernetesEtcdRuntime({ ...where, kubeconfig: server.kubeconfig });
    expect(await runtime.observe("etcd-0")).toMatchObject({ running: true, revision: "r1", prepared: "r1" });

    const edited = { containers: [{ ...container, args: ["--snapshot-count=2"] }] };
    await client.merge(path, { spec: { template: { spec: edited } } });
    const seen = await runtime.observe("etcd-0");
    expect(seen).toMatchObject({ running: true, prepared: "r1" });
    expect(seen.revision).toBeUndefined();

    await client.merge(path, { spec: { template: { spec: { containers: [{ ...container, image: "other" }] } } } });
    expect((await runtime.observe("etcd-0")).revision).toBeUndefined();

    await client.delete(path);
    const left = await runtime.observe("etcd-0");
    expect(left).toMatchObject({ running: true, prepared: "r1" });
    expect(left.revision).toBeUndefined();
  }, 60_000);
});

const where = { kind: "kubernetes", namespace: "default" } as const;

describe("a member on a node that is gone", () => {
  let server: ApiServer;
  beforeAll(async () => (server = await startApiServer()), 120_000);
  afterAll(() => server?.stop());
  afterEach(() => void jest.restoreAllMocks());

  test("is ended once its pod should have ended long ago, and not before", async () => {
    const client = await connect(server.kubeconfig);
    const selector = { matchLabels: { app: "etcd-1" } };
    const spec = { containers: [{ name: "etcd", image: "none" }], nodeName: "gone", terminationGracePeriodSeconds: 1 };
    const template = { metadata: { labels: selector.matchLabels }, spec };
    await client.apply("/apis/apps/v1/namespaces/default/statefulsets/etcd-1", {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { name: "etcd-1" },
      spec: { replicas: 1, serviceName: "etcd-1", selector, template },
    });
    await client.create("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
    const path = "/api/v1/namespaces/default/pods/etcd-1-0";
    await client.create("/api/v1/namespaces/default/pods", { metadata: { name: "etcd-1-0" }, spec });
    await client.delete(path);
    const runtime = new KubernetesEtcdRuntime({
      kind: "kubernetes",
      kubeconfig: server.kubeconfig,
      namespace: "default",
    });
    const stopping = runtime.stop("etcd-1");
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await client.find(path)).toBeDefined();
    const now = Date.now;
    jest.spyOn(Date, "now").mockImplementation(() => now() + 62_000);
    const log = jest.spyOn(console, "log").mockImplementation(() => {});
    await stopping;
    expect(await client.find(path)).toBeUndefined();
    expect(log.mock.calls).toEqual([["warning: etcd-1: nobody hears of its node gone: its pod there is given up"]]);
  }, 60_000);
});

describe("a member whose pod does not come", () => {
  let server: ApiServer;
  beforeAll(async () => (server = await startApiServer()), 120_000);
  afterAll(() => server?.stop());

  test("is waited for as long as its placement says", async () => {
    const client = await connect(server.kubeconfig);
    const template = {
      metadata: { labels: { "app.kubernetes.io/name": "etcd", app: "etcd-0" } },
      spec: { containers: [{ name: "etcd", image: "none" }] },
    };
    const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    await client.create("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
    await client.create("/api/v1/namespaces/default/configmaps", {
      metadata: { name: "etcd-0-prepared" },
      data: { revision: "r1", member: JSON.stringify({ template, claim, node: "none", startSeconds: 2 }) },
    });
    const runtime = new KubernetesEtcdRuntime({ ...where, kubeconfig: server.kubeconfig });
    const bootstrap = { token: "t", state: "new", initialCluster: "", incarnation: 1 } as const;
    await expect(runtime.start("etcd-0", bootstrap)).rejects.toThrow("waited 2s for etcd-0 to run: it has no pod yet");
    await expect(runtime.files("etcd-0").copyDatabase("none")).rejects.toThrow("waited 2s for etcd-0-files to run: ");
  }, 60_000);
});

describe("a member that runs, where no pod comes in its place", () => {
  let server: ApiServer;
  beforeAll(async () => (server = await startApiServer({ controllerManager: true })), 120_000);
  afterAll(() => server?.stop());

  test("is left running until a node takes one, and the cluster lets one be made", async () => {
    const client = await connect(server.kubeconfig);
    const core = "/api/v1/namespaces/default";
    const containers = [{ name: "etcd", image: "none" }];
    const notReady = { key: "node.kubernetes.io/not-ready", operator: "Exists" };
    const template = {
      metadata: { labels: { "app.kubernetes.io/name": "etcd", app: "etcd-0" } },
      spec: { containers, tolerations: [notReady] },
    };
    const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    await client.create(`${core}/configmaps`, {
      metadata: { name: "etcd-0-prepared" },
      data: { revision: "r1", member: JSON.stringify({ template, claim, node: "none", startSeconds: 2 }) },
    });
    await client.create("/api/v1/nodes", { metadata: { name: "node1" }, spec: { unschedulable: true } });
    await waitFor("the default ServiceAccount", deadlineIn(30), () => client.get(`${core}/serviceaccounts/default`));
    const pod = await client.create(`${core}/pods`, { metadata: { name: "etcd-0-0" }, spec: { containers } });
    const status = { containerStatuses: [{ name: "etcd", restartCount: 1, ready: true, image: "", imageID: "" }] };
    await client.merge(`${core}/pods/etcd-0-0/status`, { status });
    const runtime = new KubernetesEtcdRuntime({ ...where, kubeconfig: server.kubeconfig });
    const bootstrap = { token: "t", state: "new", initialCluster: "", incarnation: 1 } as const;
    await expect(runtime.start("etcd-0", bootstrap)).rejects.toThrow(
      "etcd-0: left running as it is: no node takes a pod in its place: node1 has the taint node.kubernetes.io/unschedulable:NoSchedule\nlook at",
    );

    const own = `${core}/persistentvolumeclaims/etcd-0-data-1`;
    await client.create(`${core}/persistentvolumeclaims`, {
      metadata: { name: "etcd-0-data-1", annotations: { [notes.node]: "node1" } },
      spec: claim,
    });
    await client.create("/api/v1/nodes", { metadata: { name: "node2" } });
    await expect(runtime.start("etcd-0", bootstrap)).rejects.toThrow(
      "node1 has the taint node.kubernetes.io/unschedulable:NoSchedule, and the directory with its data is within reach of no other\nlook at",
    );
    const same = await client.get(`${core}/pods/etcd-0-0`);
    expect(same.metadata).toMatchObject({ uid: pod.metadata?.uid });
    expect(same.metadata?.deletionTimestamp).toBeUndefined();

    await client.merge(own, { metadata: { annotations: { [notes.node]: null } } });
    const quotas = `${core}/resourcequotas`;
    const hard = { "limits.memory": "1Gi", pods: "1" };
    await client.create(quotas, { metadata: { name: "q" }, spec: { hard } });
    await waitFor("the quota to be counted", deadlineIn(30), async () =>
      (await client.get(`${quotas}/q`)).status?.["used"] === undefined ? new Pending("not yet") : true,
    );
    await expect(runtime.start("etcd-0", bootstrap)).rejects.toThrow(
      /^etcd-0: left running as it is: a pod in its place is refused: .*failed quota: q: must specify limits.memory for: etcd/,
    );
    expect((await client.get(`${core}/pods/etcd-0-0`)).metadata?.deletionTimestamp).toBeUndefined();
    // That it leaves no room for another beside the one that goes is no reason.
    await client.merge(`${quotas}/q`, { spec: { hard: { "limits.memory": null } } });
    await waitFor("the quota to be another", deadlineIn(30), async () =>
      "limits.memory" in ((await client.get(`${quotas}/q`)).status?.["hard"] as object) ? new Pending("not yet") : true,
    );

    // There is no kubelet: the pod in its place is made, and does not run.
    await expect(runtime.start("etcd-0", bootstrap)).rejects.toThrow("waited 2s for etcd-0 to run: Pending");
    const second = await client.get(`${core}/pods/etcd-0-0`);
    expect(second.metadata?.uid).not.toBe(pod.metadata?.uid);

    // Who may not list nodes is held up by none.
    await client.merge(`${core}/pods/etcd-0-0/status`, { status });
    await client.merge("/api/v1/nodes/node2", { spec: { unschedulable: true } });
    const limited = new KubernetesEtcdRuntime({ ...where, kubeconfig: await deployer(client, server) });
    await expect(limited.start("etcd-0", bootstrap)).rejects.toThrow("waited 2s for etcd-0 to run: Pending");
    expect((await client.get(`${core}/pods/etcd-0-0`)).metadata?.uid).not.toBe(second.metadata?.uid);
  }, 90_000);
});

/** A kubeconfig with the rights of an `edit` in the namespace, and no others. */
async function deployer(client: KubeClient, server: ApiServer): Promise<string> {
  const kubeconfig = await accountKubeconfig(client, server.kubeconfig, "deployer");
  await client.create("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", {
    metadata: { name: "deployer" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" },
    subjects: [{ kind: "ServiceAccount", name: "deployer", namespace: "default" }],
  });
  const own = await connect(kubeconfig);
  await waitFor("the API server to go by its rights", deadlineIn(20), () =>
    own.get("/apis/apps/v1/namespaces/default/statefulsets"),
  );
  return kubeconfig;
}
