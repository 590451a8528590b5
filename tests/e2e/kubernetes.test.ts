/** An empty namespace of a real host cluster becomes a Karmada with three members, one of them in Pull mode, is damaged, mended, and gone again. */
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placesOf } from "../../cli/support/places.ts";
import { podParts } from "../../cli/support/pods.ts";
import { redact } from "../../cli/support/redact.ts";
import type { ExportedStack } from "../../cli/support/state.ts";
import type { EtcdAccess } from "../../components/etcd-access.ts";
import type { PlaneProgram } from "../../lib/plane/program.ts";
import { gathered } from "../cli/support/gathered.ts";
import { cleanUp } from "../support/clean-up.ts";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { hasKubernetesLab, KubernetesLab } from "../support/kubernetes-lab.ts";
import { storageClass } from "../support/kubernetes-lab/objects.ts";
import { Programs } from "../support/running.ts";
import { configMap, manifests, type Manifests, ofAddons } from "./support/addons.ts";
import { allReady, eventually, Kubectls, type Json, type Kubectl } from "./support/kubectl.ts";
import { Caller } from "./support/load/caller.ts";
import { everyProgramRuns } from "./support/plane.ts";
import { untold } from "./support/prometheus.ts";
import { applyMonitoring, defineKinds, rulesIn, scrapePods } from "./support/prometheus-operator.ts";
import { addNode, needing } from "./support/room.ts";
import { secretsInEtcd } from "./support/secrets-in-etcd.ts";
import { type StackConfig, TestStack } from "./support/stack.ts";

interface Outputs {
  kubeconfig: string;
  etcdAccess: EtcdAccess;
  programs: readonly PlaneProgram[];
  endpoints: string[];
  etcd: { members: { name: string; healthy: boolean }[] };
  members: { name: string; syncMode: string; ready: boolean }[];
}

const labPort = 28600;
const memberPort = 28620;
const memberNames = ["member1", "member2", "member3"];
const namespace = "fleet-of-ours";
const [apiServerPort, etcdPort] = [31443, 31379];
const images = [
  "quay.io/coreos/etcd:v3.6.6",
  ...["kube-apiserver", "kube-controller-manager"].map((name) => `registry.k8s.io/${name}:v1.35.3`),
  ...[
    "aggregated-apiserver",
    "controller-manager",
    "scheduler",
    "webhook",
    "scheduler-estimator",
    "search",
    "agent",
  ].map((name) => `docker.io/karmada/karmada-${name}:v1.18.2`),
];
const describeLab = hasKubernetesLab() ? describe : describe.skip;

describeLab("a Karmada in a host cluster", () => {
  let lab: KubernetesLab;
  let programs: Programs;
  let stack: TestStack;
  let hostCluster: Kubectl;
  let kubectl: Kubectl;
  let outputs: Outputs;
  let members: Cluster[];
  let before: string;
  let files: Manifests;
  const kubectls = new Kubectls();

  beforeAll(async () => {
    lab = new KubernetesLab(12, labPort);
    await lab.start(images, 4);
    hostCluster = await kubectls.to(lab.cluster.kubeconfig);
    programs = new Programs(mkdtempSync(join(tmpdir(), "kubernetes-members-")));
    const etcd = await startEtcd(programs, memberPort);
    members = [];
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
    entries[2]!["syncMode"] = "Pull";
    stack.config = {
      placement: {
        kind: "kubernetes",
        credentials: await secret(lab.cluster.kubeconfig),
        namespace,
        storage: { storageClass },
        networkPolicies: { metricsFrom: ["monitoring"] },
        exposure: {
          kind: "nodePort",
          addresses: [lab.network.node],
          apiServer: apiServerPort,
          etcd: etcdPort,
        },
      },
      controlPlane: {
        ...Object.fromEntries(
          [
            "kube-apiserver",
            "kube-controller-manager",
            "karmada-aggregated-apiserver",
            "karmada-controller-manager",
          ].map((name) => [name, { replicas: 1 }]),
        ),
        "karmada-scheduler-estimator": { enabled: true },
      },
      members: entries,
      monitoring: { enabled: true },
    };
    files = await manifests();
    await files.write("beside", [itsNamespace, configMap("beside", "first"), itsDeployment]);
    stack.config["addons"] = [files.addon("beside", { kind: "host" }, { namespace: "of-addon" })];
    await defineKinds(hostCluster);
    await hostCluster(["apply", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items: asking }));
    before = await dump();
  }, 300_000);

  afterAll(
    () =>
      cleanUp(
        () => kubectls.remove(),
        () => files?.remove(),
        () => stack?.remove(),
        () => programs?.remove(),
        () => lab?.stop(),
      ),
    300_000,
  );

  const pulumi = async (...args: string[]) => (await stack.successfully(args, { timeoutSeconds: 600 })).text;
  /** Everything that is declared in the host cluster, by name. */
  const dump = async () => {
    const kinds =
      "namespaces,services,secrets,configmaps,deployments,statefulsets,poddisruptionbudgets,networkpolicies,pvc,clusterroles,clusterrolebindings,apiservices,crds";
    return await hostCluster(["get", kinds, "-A", "-o", "name"]);
  };
  const ended = async (...names: string[]) => {
    for (const name of names) await hostCluster(["scale", `statefulset/${name}`, "--replicas=0", "-n", namespace]);
    await eventually(podsOf, (pods) => !Object.values(pods).some((name) => names.includes(name)), 60);
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
    expect(await pulumi("preview", "--save-plan", stack.savedPlan)).toContain("karmada-webhook");
    expect(await dump()).toEqual(before);
  }, 120_000);

  test("one up from an empty cluster, by that plan, brings every member to Ready", async () => {
    await pulumi("up", "--yes", "--skip-preview", "--plan", stack.savedPlan);
    outputs = await stack.outputs<Outputs>();
    expect(outputs.endpoints).toEqual([`https://${lab.network.node}:${apiServerPort}`]);
    expect(outputs.etcd.members.map(({ name, healthy }) => [name, healthy])).toEqual([
      ["etcd-0", true],
      ["etcd-1", true],
      ["etcd-2", true],
    ]);
    kubectl = await kubectls.to(outputs.kubeconfig);
    await allReady(kubectl, 3);
    expect(await everyProgramRuns(outputs)).toMatchObject({
      "kube-controller-manager": expect.any(String),
      "karmada-scheduler": expect.any(String),
    });
  }, 420_000);

  test("what runs is nobody in particular, and no key of an authority is in the cluster", async () => {
    const { items: pods } = await hostCluster.get<{ items: Json[] }>("pods", "-n", namespace);
    for (const { spec } of pods) {
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
      expect(spec.automountServiceAccountToken).toBe(false);
      expect(spec.containers[0].securityContext).toMatchObject({ readOnlyRootFilesystem: true });
    }
    const copied = pods.filter(({ spec }) => spec.containers[0].name !== "karmada-agent");
    const electing = copied.flatMap(({ spec }) =>
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
      "an estimator": await reached("coredns", 10352, "member1-karmada-scheduler-estimator"),
      "an estimator, from the scheduler": await reached(
        "karmada-scheduler",
        10352,
        "member1-karmada-scheduler-estimator",
      ),
      "an agent's metrics, from the scheduler": await reached("karmada-scheduler", 8080, "member3-karmada-agent"),
      "the webhook, from the API server": await reached("kube-apiserver", 8443, "karmada-webhook"),
      "etcd's metrics, from the API server": await reached("kube-apiserver", 2381, "etcd-0"),
    }).toEqual({
      "etcd's metrics": false,
      "etcd's peers": false,
      "a controller's health": false,
      "the webhook": false,
      "the API server": true,
      "an estimator": false,
      "an estimator, from the scheduler": true,
      "an agent's metrics, from the scheduler": false,
      "the webhook, from the API server": true,
      "etcd's metrics, from the API server": false,
    });
  }, 60_000);

  test("for support there are the logs of every program, and none of its secrets", async () => {
    const { hostClusters } = placesOf(JSON.parse(await stack.state("--show-secrets")) as ExportedStack);
    const { put, lacking } = await gathered(hostClusters.flatMap((place) => podParts(place, 3600)));
    expect(lacking).toEqual({});
    const directory = `host-cluster/${namespace}/logs/`;
    const logs = Object.keys(put).flatMap((path) => (path.startsWith(directory) ? path.slice(directory.length) : []));
    for (const program of new Set(Object.values(await podsOf())))
      expect(logs).toContainEqual(expect.stringMatching(`^${program}-[^/]*/.*[.]log$`));
    const secrets = await stack.secrets();
    expect(secrets.length).toBeGreaterThan(20);
    for (const [path, content] of Object.entries(put)) {
      const text = redact(JSON.stringify(content));
      expect([path, ["PRIVATE KEY", ...secrets].filter((each) => text.includes(each))]).toEqual([path, []]);
    }
  }, 120_000);

  test("a member in Pull mode takes work by the agent in its pod", async () => {
    expect(outputs.members.map(({ name, syncMode, ready }) => [name, syncMode, ready])).toEqual([
      ["member1", "Push", true],
      ["member2", "Push", true],
      ["member3", "Pull", true],
    ]);
    expect((await kubectl.get("cluster", "member3")).spec.syncMode).toBe("Pull");
    await kubectl(["create", "configmap", "for-member3", "--from-literal=by=agent"]);
    const selector = { apiVersion: "v1", kind: "ConfigMap", name: "for-member3" };
    const placement = { clusterAffinity: { clusterNames: ["member3"] } };
    await kubectl(["apply", "-f", "-"], JSON.stringify(policy("for-member3", selector, placement)));
    const copy = await eventually(
      () => members[2]!.client.get("/api/v1/namespaces/default/configmaps/for-member3"),
      () => true,
      60,
    );
    expect(copy["data"]).toEqual({ by: "agent" });
    await kubectl(["delete", "propagationpolicy,configmap", "for-member3"]);
  }, 90_000);

  test("the scheduler asks the estimators: replicas go where a node has the label they need, though both have room", async () => {
    for (const [i, disk] of ["slow", "fast"].entries()) await addNode(members[i]!.client, `node-${disk}`, { disk });
    const room = async () => {
      const { items } = await kubectl.get<{ items: Json[] }>("clusters");
      return items.map(({ status }) => status?.resourceSummary?.allocatable?.cpu ?? "0");
    };
    await eventually(room, (cpus) => cpus[0] === "8" && cpus[1] === "8", 60);
    await kubectl(["apply", "-f", "-"], JSON.stringify(needing("picky", 6, { disk: "fast" })));
    const selector = { apiVersion: "apps/v1", kind: "Deployment", name: "picky" };
    const placement = {
      clusterAffinity: { clusterNames: ["member1", "member2"] },
      replicaScheduling: {
        replicaSchedulingType: "Divided",
        replicaDivisionPreference: "Weighted",
        weightPreference: { dynamicWeight: "AvailableReplicas" },
      },
    };
    await kubectl(["apply", "-f", "-"], JSON.stringify(policy("picky", selector, placement)));
    const { spec } = await eventually(
      () => kubectl.get("resourcebinding", "picky-deployment"),
      (binding) => binding.spec.clusters?.length > 0,
      60,
    );
    expect(spec.clusters).toEqual([{ name: "member2", replicas: 6 }]);
    await kubectl(["delete", "propagationpolicy,deployment", "picky"]);
  }, 150_000);

  test("a Prometheus of the host cluster finds every pod, is let in, and is told what the rules and the dashboard go by", async () => {
    const panels = await applyMonitoring(stack, hostCluster);
    const scraped = await scrapePods(hostCluster, namespace, lab.inPodWith("in-place-of-prometheus"));
    expect(scraped.filter(({ status, samples }) => status !== 200 || samples.length < 50)).toEqual([]);
    const { items: pods } = await hostCluster.get<{ items: Json[] }>("pods", "-n", namespace);
    expect(scraped.map(({ labels }) => labels["process"]).toSorted()).toEqual(
      pods.map(({ metadata }) => metadata.name).toSorted(),
    );
    const rules = await rulesIn(hostCluster, namespace);
    expect(rules.length).toBeGreaterThan(50);
    expect(untold(rules, scraped, panels)).toEqual([]);
  }, 60_000);

  test("an addon is in the host cluster beside it, ready, and is changed there", async () => {
    const mode = () => hostCluster(["get", "configmap", "beside", "-n", "of-addon", "-o", "jsonpath={.data.mode}"]);
    const all = ["ConfigMap of-addon/beside", "Deployment of-addon/beside", "Namespace of-addon"];
    expect([await ofAddons(hostCluster), await mode()]).toEqual([all, "first"]);
    expect((await hostCluster.get("deployment", "beside", "-n", "of-addon")).status.readyReplicas).toBe(1);
    const old = Object.keys(await podsOf()).toSorted();
    await files.write("beside", [itsNamespace, configMap("beside", "second")]);
    await pulumi("up", "--yes", "--skip-preview");
    expect([await ofAddons(hostCluster), await mode()]).toEqual([[all[0], all[2]], "second"]);
    expect(Object.keys(await podsOf()).toSorted()).toEqual(old);
  }, 60_000);

  test("what moves to an addon of another name stays where it is, a Namespace with all that is in it", async () => {
    const uidOf = (...object: string[]) => hostCluster(["get", ...object, "-o", "jsonpath={.metadata.uid}"]);
    const uids = async () => [
      await uidOf("namespace", "of-addon"),
      await uidOf("configmap", "beside", "-n", "of-addon"),
    ];
    const old = await uids();
    await files.write("alongside", [itsNamespace, configMap("beside", "second")]);
    stack.config["addons"] = [files.addon("alongside", { kind: "host" }, { namespace: "of-addon" })];
    await pulumi("up", "--yes", "--skip-preview");
    expect(await uids()).toEqual(old);
  }, 60_000);

  test("a second up and a refresh find nothing to change", async () => {
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
    await pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes");
  }, 180_000);

  test("a deleted and an edited Deployment and a stopped member of etcd are seen by refresh and mended by up", async () => {
    await hostCluster(["delete", "deployment", "karmada-scheduler", "-n", namespace]);
    await hostCluster(["scale", "deployment/kube-controller-manager", "--replicas=2", "-n", namespace]);
    await hostCluster(["set", "image", "deployment/karmada-webhook", "*=registry.k8s.io/etcd:v0", "-n", namespace]);
    await hostCluster(["set", "image", "statefulset/etcd-0", "*=registry.k8s.io/etcd:v0", "-n", namespace]);
    await ended("etcd-1");
    await pulumi("refresh", "--yes", "--skip-preview");
    await pulumi("up", "--yes", "--skip-preview");
    await pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes");
    expect(Object.values(await podsOf())).toEqual(expect.arrayContaining(["karmada-scheduler", "etcd-1"]));
    await allReady(kubectl, 3);
  }, 300_000);

  test("an etcd of which too few members run is started again by up, while no API server answers a refresh", async () => {
    await ended("etcd-0", "etcd-2");
    expect(await pulumi("up", "--yes", "--skip-preview")).toContain("start etcd-0 and etcd-2 again, on the data there");
    await allReady(kubectl, 3);
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  }, 300_000);

  test("API servers that somebody has scaled to 0 come back by up, a refresh that fails, and up", async () => {
    await hostCluster(["scale", "deployment", "--all", "--replicas=0", "-n", namespace]);
    await eventually(podsOf, (pods) => !Object.values(pods).includes("karmada-apiserver"), 60);
    await pulumi("up", "--yes", "--skip-preview");
    expect(Object.values(await podsOf())).not.toContain("karmada-apiserver");
    const refresh = await stack.pulumi(["refresh", "--yes", "--skip-preview"], { timeoutSeconds: 600 });
    expect(refresh.exitCode).not.toBe(0);
    await pulumi("up", "--yes", "--skip-preview");
    await allReady(kubectl, 3);
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  }, 600_000);

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

  test("pods of each program are as the stack file has them: etcd's members take it over one by one, the others run on", async () => {
    const old = await podsOf();
    const { placement } = stack.config as { placement: StackConfig };
    const pods = {
      etcd: { nodeSelector: { "kubernetes.io/os": "linux" }, labels: { tier: "data" } },
      "karmada-scheduler": { annotations: { "example.org/owner": "fleet" }, priorityClass: "system-cluster-critical" },
    };
    const ran = join(stack.directory, "hook-ran");
    const hook = { name: "note", when: "before", phase: "control-plane", undo: `rm ${ran}` };
    const run = `mkdir -p ${stack.directory}; echo "$KARMADA_DEPLOYMENT in $KARMADA_NAMESPACE" > ${ran}`;
    stack.config = { ...stack.config, placement: { ...placement, pods, hooks: [{ ...hook, run }] } };
    const caller = new Caller(outputs.kubeconfig, { path: "/api/v1/namespaces/default/configmaps", anew: true }, 20);
    await pulumi("up", "--yes", "--skip-preview").finally(() => caller.stop());
    expect(readFileSync(ran, "utf8")).toBe(`test in ${namespace}\n`);
    const now = await eventually(podsOf, (pods) => Object.keys(pods).length === Object.keys(old).length, 60);
    const gone = Object.entries(old).flatMap(([uid, name]) => (uid in now ? [] : [name]));
    expect([...new Set(gone)].toSorted()).toEqual(["etcd-0", "etcd-1", "etcd-2", "karmada-scheduler"]);
    expect(caller.failures).toEqual([]);
    const { items } = await hostCluster.get<{ items: Json[] }>("pods", "-n", namespace);
    const of = (name: string) => items.filter(({ metadata }) => metadata.labels["app.kubernetes.io/name"] === name);
    expect(of("etcd").map(({ metadata, spec }) => [metadata.labels.tier, spec.nodeSelector])).toEqual(
      Array(3).fill(["data", pods.etcd.nodeSelector]),
    );
    for (const { metadata, spec } of of("karmada-scheduler")) {
      expect(metadata.annotations).toMatchObject(pods["karmada-scheduler"].annotations);
      expect(spec.priorityClassName).toBe("system-cluster-critical");
    }
    stack.config = { ...stack.config, placement };
    await pulumi("up", "--yes", "--skip-preview");
    expect(existsSync(ran)).toBe(false);
    await eventually(podsOf, (pods) => Object.keys(pods).length === Object.keys(old).length, 60);
  }, 300_000);

  test("what is called goes on to be while it is replaced, with one replica and with two: no call is refused", async () => {
    const old = await podsOf();
    const { controlPlane } = stack.config as { controlPlane: Record<string, object> };
    const called = ["kube-apiserver", "karmada-aggregated-apiserver", "karmada-webhook"];
    const louder = called.map((name) => [name, { ...controlPlane[name], extraArgs: { v: 1 } }]);
    stack.config = { ...stack.config, controlPlane: { ...controlPlane, ...Object.fromEntries(louder) } };
    const { kubeconfig } = outputs;
    const selector = { apiVersion: "v1", kind: "ConfigMap", name: "nothing" };
    const policies = "/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies?dryRun=All";
    const callers = [
      new Caller(kubeconfig, { path: "/apis/cluster.karmada.io/v1alpha1/clusters", anew: true }, 20),
      new Caller(kubeconfig, { path: policies, body: policy("nothing", selector, {}), anew: true }, 20),
    ];
    const stop = () => Promise.all(callers.map((caller) => caller.stop()));
    await pulumi("up", "--yes", "--skip-preview")
      .then(() => eventually(podsOf, (pods) => Object.keys(pods).length === Object.keys(old).length, 60))
      .finally(stop);
    const now = await podsOf();
    const gone = Object.entries(old).flatMap(([uid, name]) => (uid in now ? [] : [name]));
    expect(gone.toSorted()).toEqual([
      "karmada-aggregated-apiserver",
      "karmada-apiserver",
      "karmada-webhook",
      "karmada-webhook",
    ]);
    expect(callers.flatMap(({ failures }) => failures).filter((failure) => !cutOff.test(failure))).toEqual([]);
    for (const { count } of callers) expect(count).toBeGreaterThan(100);
  }, 180_000);

  test("what is written while API servers are replaced is encrypted like all there is, and in clear again by the way back", async () => {
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { generateName: "meanwhile-" } };
    const path = "/api/v1/namespaces/default/secrets";
    const encryptedBy = async (encryption: object) => {
      const { controlPlane } = stack.config as { controlPlane: object };
      stack.config = { ...stack.config, controlPlane: { ...controlPlane, encryption } };
      const writer = new Caller(outputs.kubeconfig, { path, body: secret }, 20);
      const text = await pulumi("up", "--yes", "--skip-preview").finally(() => writer.stop());
      expect(writer.count).toBeGreaterThan(100);
      const { secrets, works } = await secretsInEtcd(outputs.etcdAccess);
      expect([secrets.length > 100, works.length > 0]).toEqual([true, true]);
      const isEncrypted = (value: string) => value.startsWith("k8s:enc:secretbox:v1:key-");
      return { text, shares: [secrets, works].map((values) => values.filter(isEncrypted).length / values.length) };
    };
    const secretbox = { provider: "secretbox" };
    const learned = await encryptedBy(secretbox);
    expect([learned.shares, learned.text]).toEqual([
      [0, 0],
      expect.stringContaining("run up again, which encrypts secrets"),
    ]);
    expect((await encryptedBy(secretbox)).shares).toEqual([1, 1]);
    expect((await encryptedBy({ provider: "identity" })).shares).toEqual([0, 0]);
    expect((await encryptedBy({})).shares).toEqual([0, 0]);
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  }, 480_000);

  test("an image that cannot be pulled is named with what the node says, nothing else is touched, and the next up goes on", async () => {
    const old = await podsOf();
    const { placement } = stack.config as { placement: StackConfig };
    const image = "registry.example.org/karmada/karmada-webhook:none";
    const pinned = { "karmada-webhook": image };
    stack.config = { ...stack.config, placement: { ...placement, images: { pinned }, rolloutTimeout: "40s" } };
    const { exitCode, text } = await stack.pulumi(["up", "--yes", "--skip-preview"], { timeoutSeconds: 200 });
    expect(exitCode).not.toBe(0);
    // Pulumi's own kubernetes plugin names only the Deployment: a refresh says why.
    const isOfficial = text.includes("official plugins");
    const told = isOfficial ? (await stack.pulumi(["refresh", "--yes", "--skip-preview"])).text : text;
    expect(told).toMatch(/ErrImagePull|ImagePullBackOff/);
    expect(told).toContain(image);
    expect(Object.keys(await podsOf())).toEqual(expect.arrayContaining(Object.keys(old)));
    await allReady(kubectl, 3);
    stack.config = { ...stack.config, placement };
    await pulumi("up", "--yes", "--skip-preview");
    expect(
      Object.keys(
        await eventually(podsOf, (pods) => Object.keys(pods).length === Object.keys(old).length, 60),
      ).toSorted(),
    ).toEqual(Object.keys(old).toSorted());
  }, 300_000);

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

  test("a member that leaves takes its agent and its estimator along, an addon its objects", async () => {
    const serving = async () =>
      [...new Set(Object.values(await podsOf()))].filter((name) => /^member\d-/.test(name)).toSorted();
    const ofTwo = ["member1", "member2"].map((name) => `${name}-karmada-scheduler-estimator`);
    expect(await serving()).toEqual([...ofTwo, "member3-karmada-agent", "member3-karmada-scheduler-estimator"]);
    stack.config = { ...stack.config, members: (stack.config["members"] as StackConfig[]).slice(0, 2), addons: [] };
    await pulumi("up", "--yes", "--skip-preview");
    expect(await serving()).toEqual(ofTwo);
    expect(await dump()).not.toMatch(/member3|of-addon/);
    const services = await kubectl(["get", "services", "-n", "karmada-system", "-o", "name"]);
    expect(services).not.toContain("member3");
    await allReady(kubectl, 2);
  }, 180_000);

  test("karmada-search, which is ready once API servers are led to it, comes up", async () => {
    stack.config["controlPlane"] = { ...(stack.config["controlPlane"] as object), "karmada-search": { enabled: true } };
    await pulumi("up", "--yes", "--skip-preview");
    await kubectl(["get", "resourceregistries"]);
  }, 300_000);

  test("destroy leaves the host cluster as it was", async () => {
    await pulumi("destroy", "--yes", "--skip-preview");
    expect(await dump()).toEqual(before);
  }, 180_000);
});

/** karmada-webhook ends connections that look idle to it while the API server sends the next question by one of them. */
const cutOff = /failed to call webhook: Post [^ ]*: (EOF|.*: broken pipe)/;

/** A pod in the place of a Prometheus. */
const asking = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "monitoring" } },
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "prometheus", namespace: "monitoring" },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ name: "prometheus", image: images[0], command: ["pause", "in-place-of-prometheus"] }],
    },
  },
];

const itsNamespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "of-addon" } };
const labels = { app: "beside" };
const itsDeployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "beside" },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "beside", image: images[0] }] },
    },
  },
};

const policy = (name: string, selector: object, placement: object) => ({
  apiVersion: "policy.karmada.io/v1alpha1",
  kind: "PropagationPolicy",
  metadata: { name, namespace: "default" },
  spec: { resourceSelectors: [selector], placement },
});
