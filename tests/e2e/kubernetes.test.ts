/** An empty namespace of a real host cluster becomes a Karmada with three members, is damaged, mended, and gone again. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanUp } from "../support/clean-up.ts";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { hasKubernetesLab, KubernetesLab } from "../support/kubernetes-lab.ts";
import { storageClass } from "../support/kubernetes-lab/objects.ts";
import { Programs } from "../support/running.ts";
import { allReady, eventually, kubectlFor, type Json, type Kubectl } from "./support/kubectl.ts";
import { type StackConfig, TestStack } from "./support/stack.ts";

interface Outputs {
  kubeconfig: string;
  endpoints: string[];
  etcd: { members: { name: string; healthy: boolean }[] };
  members: { name: string; ready: boolean }[];
}

const labPort = 28600;
const memberPort = 28620;
const memberNames = ["member1", "member2", "member3"];
const namespace = "fleet-of-ours";
const [apiServerPort, etcdPort] = [31443, 31379];
const images = [
  "quay.io/coreos/etcd:v3.6.6",
  ...["kube-apiserver", "kube-controller-manager"].map((name) => `registry.k8s.io/${name}:v1.35.3`),
  ...["aggregated-apiserver", "controller-manager", "scheduler", "webhook"].map(
    (name) => `docker.io/karmada/karmada-${name}:v1.18.2`,
  ),
];
const describeLab = hasKubernetesLab() ? describe : describe.skip;

describeLab("a Karmada in a host cluster", () => {
  let lab: KubernetesLab;
  let programs: Programs;
  let stack: TestStack;
  let hostCluster: Kubectl;
  let kubectl: Kubectl;
  let outputs: Outputs;
  let before: string;
  const removals: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    lab = new KubernetesLab(12, labPort);
    await lab.start(images, 4);
    hostCluster = await kubectlOf(lab.cluster.kubeconfig);
    programs = new Programs(mkdtempSync(join(tmpdir(), "kubernetes-members-")));
    const etcd = await startEtcd(programs, memberPort);
    const members: Cluster[] = [];
    for (const [i, name] of memberNames.entries()) {
      const port = memberPort + 10 + 2 * i;
      members.push(await startCluster(programs, etcd, { name, port, address: lab.network.machine }));
    }
    stack = await TestStack.create({}, 0);
    const secret = async (kubeconfig: string) => ({
      kind: "kubeconfig",
      kubeconfig: await stack.secret(kubeconfig),
    });
    const entries: StackConfig[] = [];
    for (const [i, name] of memberNames.entries())
      entries.push({ name, credentials: await secret(members[i]!.kubeconfig) });
    stack.config = {
      placement: {
        kind: "kubernetes",
        credentials: await secret(lab.cluster.kubeconfig),
        namespace,
        storage: { storageClass },
        exposure: {
          kind: "nodePort",
          addresses: [lab.network.node],
          apiServer: apiServerPort,
          etcd: etcdPort,
        },
      },
      controlPlane: Object.fromEntries(
        ["kube-apiserver", "kube-controller-manager", "karmada-aggregated-apiserver", "karmada-controller-manager"].map(
          (name) => [name, { replicas: 1 }],
        ),
      ),
      members: entries,
    };
    before = await dump();
  }, 300_000);

  afterAll(
    () =>
      cleanUp(
        ...removals,
        () => stack?.remove(),
        () => programs?.remove(),
        () => lab?.stop(),
      ),
    300_000,
  );

  const kubectlOf = async (kubeconfig: string) => {
    const made = await kubectlFor(kubeconfig);
    removals.push(made.remove);
    return made.kubectl;
  };
  const pulumi = async (...args: string[]) => (await stack.successfully(args, { timeoutSeconds: 600 })).text;
  /** Everything that is declared in the host cluster, by name. */
  const dump = async () => {
    const kinds =
      "namespaces,services,secrets,configmaps,deployments,statefulsets,poddisruptionbudgets,networkpolicies,pvc,clusterroles,clusterrolebindings,apiservices,crds";
    return await hostCluster(["get", kinds, "-A", "-o", "name"]);
  };
  const podsOf = async () => {
    const { items } = await hostCluster.get<{ items: Json[] }>("pods", "-n", namespace);
    return Object.fromEntries(
      items
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(({ metadata }) => [metadata.uid, metadata.labels["app.kubernetes.io/instance"]]),
    ) as Record<string, string>;
  };

  test("a preview plans everything and touches nothing", async () => {
    expect(await pulumi("preview")).toContain("karmada-webhook");
    expect(await dump()).toEqual(before);
  }, 120_000);

  test("one up from an empty cluster brings every member to Ready", async () => {
    await pulumi("up", "--yes", "--skip-preview");
    outputs = await stack.outputs<Outputs>();
    expect(outputs.endpoints).toEqual([`https://${lab.network.node}:${apiServerPort}`]);
    expect(outputs.etcd.members.map(({ name, healthy }) => [name, healthy])).toEqual([
      ["etcd-0", true],
      ["etcd-1", true],
      ["etcd-2", true],
    ]);
    kubectl = await kubectlOf(outputs.kubeconfig);
    await allReady(kubectl, 3);
  }, 420_000);

  test("what runs is nobody in particular, and no key of an authority is in the cluster", async () => {
    const { items: pods } = await hostCluster.get<{ items: Json[] }>("pods", "-n", namespace);
    for (const { spec } of pods) {
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
      expect(spec.automountServiceAccountToken).toBe(false);
      expect(spec.containers[0].securityContext).toMatchObject({ readOnlyRootFilesystem: true });
    }
    const electing = pods.flatMap(({ spec }) =>
      spec.containers[0].args.filter((arg: string) => /^--leader-elect=/.test(arg)).slice(-1),
    );
    expect(electing.length).toBeGreaterThan(3);
    expect(new Set(electing)).toEqual(new Set(["--leader-elect=true"]));
    const { items: secrets } = await hostCluster.get<{ items: Json[] }>("secrets", "-n", namespace);
    const files = secrets.flatMap(({ data }) => Object.keys(data));
    expect(files).toContain("pki.sa.key");
    expect(files.filter((file) => /ca\.key$/.test(file))).toEqual([]);
    const state = await stack.state();
    expect(state).not.toMatch(/BEGIN [A-Z ]*PRIVATE KEY|client-key-data/);
    // The same as a Secret has it: "-----BEGIN EC PRIV", "-----BEGIN PRIV", "-----BEGIN RSA".
    expect(state).not.toMatch(/LS0tLS1CRUdJTi(BFQyBQUklW|BQUklW|BSU0Eg)/);
  }, 30_000);

  test("nobody comes to what is served without a certificate, nor to what only the API servers use", async () => {
    const { items } = await hostCluster.get<{ items: Json[] }>("pods", "-n", namespace);
    const reached = (from: string, port: number, instance: string) => {
      const pod = items.find(({ metadata }) => metadata.labels["app.kubernetes.io/instance"] === instance);
      return lab.reaches(from, pod?.status.podIP, port);
    };
    expect({
      "etcd's metrics": await reached("coredns", 2381, "etcd-0"),
      "etcd's peers": await reached("coredns", 2380, "etcd-0"),
      "a controller's health": await reached("coredns", 10357, "karmada-controller-manager"),
      "the webhook": await reached("coredns", 8443, "karmada-webhook"),
      "the API server": await reached("coredns", 5443, "karmada-apiserver"),
      "the webhook, from the API server": await reached("kube-apiserver", 8443, "karmada-webhook"),
      "etcd's metrics, from the API server": await reached("kube-apiserver", 2381, "etcd-0"),
    }).toEqual({
      "etcd's metrics": false,
      "etcd's peers": false,
      "a controller's health": false,
      "the webhook": false,
      "the API server": true,
      "the webhook, from the API server": true,
      "etcd's metrics, from the API server": false,
    });
  }, 60_000);

  test("a second up and a refresh find nothing to change", async () => {
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
    await pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes");
  }, 180_000);

  test("a deleted and an edited Deployment and a stopped member of etcd are seen by refresh and mended by up", async () => {
    await hostCluster(["delete", "deployment", "karmada-scheduler", "-n", namespace]);
    await hostCluster(["set", "image", "deployment/karmada-webhook", "*=registry.k8s.io/etcd:v0", "-n", namespace]);
    await hostCluster(["scale", "statefulset/etcd-1", "--replicas=0", "-n", namespace]);
    await eventually(podsOf, (pods) => !Object.values(pods).includes("etcd-1"), 60);
    await pulumi("refresh", "--yes", "--skip-preview");
    await pulumi("up", "--yes", "--skip-preview");
    await pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes");
    expect(Object.values(await podsOf())).toEqual(expect.arrayContaining(["karmada-scheduler", "etcd-1"]));
    await allReady(kubectl, 3);
  }, 300_000);

  test("one more argument starts that program again, and no other", async () => {
    const old = await podsOf();
    const { controlPlane } = stack.config as { controlPlane: Record<string, object> };
    stack.config = {
      ...stack.config,
      controlPlane: { ...controlPlane, "karmada-scheduler": { extraArgs: { "scheduler-name": "another" } } },
    };
    await pulumi("up", "--yes", "--skip-preview");
    const now = await eventually(podsOf, (pods) => Object.keys(pods).length === Object.keys(old).length, 60);
    const gone = Object.entries(old).filter(([uid]) => !(uid in now));
    expect([...new Set(gone.map(([, name]) => name))]).toEqual(["karmada-scheduler"]);
  }, 180_000);

  test("a member of etcd is replaced by one with an empty volume, and all start again with another quota", async () => {
    await kubectl(["create", "configmap", "written-before"]);
    const old = Object.keys(await podsOf());
    stack.config = { ...stack.config, etcd: { kind: "managed", quota: "4Gi", replace: { "etcd-1": 1 } } };
    const preview = await pulumi("preview", "--diff");
    for (const sentence of ["remove etcd-1", "restart etcd-0"]) expect(preview).toContain(sentence);
    await pulumi("up", "--yes", "--skip-preview");
    const now = await podsOf();
    const started = Object.entries(now).flatMap(([uid, name]) => (old.includes(uid) ? [] : [name]));
    expect(started.toSorted()).toEqual(["etcd-0", "etcd-1", "etcd-2"]);
    const { items } = await hostCluster.get<{ items: Json[] }>("pvc", "-n", namespace, "-l", "karmada-pulumi/retired");
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["etcd-1-data-1"]);
    await eventually(
      () => kubectl.get("configmap", "written-before"),
      () => true,
      60,
    );
    await allReady(kubectl, 3);
  }, 240_000);

  test("destroy leaves the host cluster as it was", async () => {
    await pulumi("destroy", "--yes", "--skip-preview");
    expect(await dump()).toEqual(before);
  }, 180_000);
});
