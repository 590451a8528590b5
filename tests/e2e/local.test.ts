/** The dev stack's life on one machine, from nothing to nothing, in the order of a user's days. */
import { once } from "node:events";
import { readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { basename, join } from "node:path";
import tls from "node:tls";
import { execa } from "execa";
import type { EtcdAccess } from "../../components/etcd-access.ts";
import { configMap, manifests, ofAddons, shops, web, webChart } from "./support/addons.ts";
import { eventually, kubectlFor, type Json, type Kubectl, readyOf } from "./support/kubectl.ts";
import { type Prometheus, prometheusOf, untold } from "./support/prometheus.ts";
import { secretsInEtcd } from "./support/secrets-in-etcd.ts";
import { processesNaming, TestStack } from "./support/stack.ts";

interface Outputs {
  kubeconfig: string;
  etcdAccess: EtcdAccess;
  endpoint: string;
  versions: Record<string, string>;
  certificates: Record<string, string>;
  members: {
    name: string;
    ready: boolean;
    syncMode: string;
    kubernetesVersion: string;
    uid: string;
    readySince: string;
  }[];
}

const basePort = 26000;
const auditPolicy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  rules: [{ level: "Metadata", verbs: ["create"], resources: [{ group: "", resources: ["secrets"] }] }],
};
/** As Karmada has it, and a webhook that is asked about nobody who is there. */
const authorization = {
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "AuthorizationConfiguration",
  authorizers: [
    { type: "Node", name: "node" },
    { type: "RBAC", name: "rbac" },
    {
      type: "Webhook",
      name: "ours",
      webhook: {
        timeout: "1s",
        authorizedTTL: "1m",
        unauthorizedTTL: "1m",
        subjectAccessReviewVersion: "v1",
        matchConditionSubjectAccessReviewVersion: "v1",
        failurePolicy: "NoOpinion",
        matchConditions: [{ expression: 'request.user == "nobody"' }],
        connectionInfo: { type: "KubeConfigFile", kubeConfigFile: "webhook.kubeconfig" },
      },
    },
  ],
};
const webhookKubeconfig = {
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "webhook", cluster: { server: "https://127.0.0.1:1" } }],
  users: [{ name: "api-server", user: {} }],
  contexts: [{ name: "webhook", context: { cluster: "webhook", user: "api-server" } }],
  "current-context": "webhook",
};
const simulated = (name: string, syncMode = "Push") => ({ name, syncMode, credentials: { kind: "simulated" } });

let stack: TestStack;
let kubectl: Kubectl;
/** By the first up. */
let said: string;
let removeKubeconfig: () => Promise<void>;

beforeAll(async () => {
  stack = await TestStack.create(
    {
      members: [simulated("member1"), simulated("member2"), simulated("member3", "Pull")],
      monitoring: { enabled: true },
      controlPlane: {
        "karmada-descheduler": { enabled: true },
        "karmada-search": { enabled: true },
        "karmada-metrics-adapter": { enabled: true },
        "karmada-scheduler-estimator": { enabled: true },
      },
    },
    basePort,
  );
});

afterAll(async () => {
  await removeKubeconfig?.();
  await stack?.remove();
}, 180_000);

test("the first preview plans everything without starting anything", async () => {
  const run = await stack.preview("--save-plan", stack.savedPlan);
  expect(run.text).toContain("etcd-0");
  expect(run.exitCode).toBe(0);
  expect(await stack.processes()).toEqual([]);
}, 120_000);

test("one up from nothing, by the plan of that preview, brings every member to Ready", async () => {
  said = (await stack.up("--plan", stack.savedPlan)).text;
  const outputs = await stack.outputs<Outputs>();
  ({ kubectl, remove: removeKubeconfig } = await kubectlFor(outputs.kubeconfig));
  const clusters = await kubectl.get("clusters");
  expect(
    clusters.items.map((cluster: Json) => [cluster.metadata.name, cluster.spec.syncMode, readyOf(cluster)]),
  ).toEqual([
    ["member1", "Push", "True"],
    ["member2", "Push", "True"],
    ["member3", "Pull", "True"],
  ]);
  expect(outputs.members.map(({ name }) => name)).toEqual(["member1", "member2", "member3"]);
}, 180_000);

test("the versions among the outputs are what each running program says of itself", async () => {
  const { versions } = await stack.outputs<Outputs>();
  const said: Record<string, string> = {};
  for (const { pid } of await stack.processes()) {
    const executable = `/proc/${pid}/exe`;
    const program = basename(await readlink(executable));
    if (program === "node") continue; // the supervisor
    const { stdout } = await execa(executable, [program.startsWith("karmada-") ? "version" : "--version"]);
    said[basename(await readlink(`/proc/${pid}/cwd`))] = /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? stdout;
  }
  expect(Object.keys(said).length).toBeGreaterThan(20);
  expect(versions).toEqual(said);
}, 60_000);

test("the expiries among the outputs are those of the certificates in use, and of the one that is served", async () => {
  const { certificates, endpoint } = await stack.outputs<Outputs>();
  const { hostname, port } = new URL(endpoint);
  const socket = tls.connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  await once(socket, "secureConnect");
  expect(seconds(socket.getPeerX509Certificate()!.validTo)).toBe(seconds(certificates["apiserver"]!));
  socket.destroy();

  const inUse = new Set<number>();
  for (const name of await readdir(stack.directory, { recursive: true })) {
    if (!/\/pki\/.*\.crt$/.test(name)) continue; // others are programs' own, for nobody but themselves
    const file = join(stack.directory, name);
    const { stdout } = await execa("openssl", ["x509", "-in", file, "-noout", "-enddate"]);
    inUse.add(seconds(stdout.replace("notAfter=", "")));
  }
  const told = Object.values(certificates).map(seconds);
  expect(inUse.size).toBeGreaterThan(1);
  for (const each of inUse) expect(told).toContain(each);
}, 60_000);

test("a second up, a preview and a refresh find nothing to change", async () => {
  await stack.up("--expect-no-changes");
  await stack.successfully(["preview", "--expect-no-changes"]);
  await stack.refresh("--expect-no-changes");
}, 300_000);

test("members among the outputs are as the refresh has found them, and no later refresh is a change", async () => {
  const clusters = await eventually(
    () => kubectl.get("clusters"),
    ({ items }) => items.every(({ status }: Json) => status.nodeSummary?.readyNum === 2),
  );
  await stack.refresh("--expect-no-changes");
  await stack.up("--expect-no-changes");
  const { members, versions, certificates } = await stack.outputs<Outputs>();
  const ofAgent = {
    agentVersion: versions["member3-karmada-agent"],
    credentialExpires: certificates["agent-member3"],
  };
  clusters.items.forEach(({ metadata, status }: Json, i: number) => {
    expect(members[i]).toMatchObject({
      name: metadata.name,
      readyReason: "ClusterReady",
      nodes: { ready: 2, total: 2 },
      allocatable: status.resourceSummary.allocatable,
      ...(metadata.name === "member3" && ofAgent),
    });
    const { lastTransitionTime } = status.conditions.find(({ type }: Json) => type === "Ready");
    expect(members[i]!.readySince).toBe(lastTransitionTime);
  });
  expect(members.map((member) => "agentVersion" in member)).toEqual([false, false, true]);
}, 300_000);

test("no key and no token stands in clear in the state, in what was said, in logs, command lines or environments", async () => {
  const secrets = await stack.secrets();
  expect(secrets.length).toBeGreaterThan(20);
  const logs = join(stack.directory, "logs");
  const files = [stack.stateFile, ...(await readdir(logs)).map((file) => join(logs, file))];
  const processes = await stack.processes();
  expect(processes.length).toBeGreaterThan(20);
  for (const { pid } of processes) files.push(`/proc/${pid}/cmdline`, `/proc/${pid}/environ`);
  const places = new Map([
    ["what up said", said],
    ["the state as exported", await stack.state()],
  ]);
  for (const file of files) places.set(file, await readFile(file, "utf8"));
  const found = [...places].filter(([, text]) => secrets.some((secret) => text.includes(secret)));
  expect(found.map(([place]) => place)).toEqual([]);
}, 60_000);

test("a workload without a policy stays where it is", async () => {
  await kubectl(["create", "deployment", "pipy", "--image=flomesh/pipy", "--replicas=2", "--port=8080"]);
  await kubectl(["expose", "deployment", "pipy", "--port=8080"]);
  const log = `${stack.directory}/logs/karmada-controller-manager.log`;
  await eventually(
    () => readFile(log, "utf8"),
    (text) => text.includes("Add object(apps/v1, kind=Deployment, default/pipy) to waiting list"),
  );
  expect((await kubectl.get("deployment", "pipy")).status.readyReplicas ?? 0).toBe(0);
  expect((await kubectl.get("resourcebindings")).items).toEqual([]);
});

test("equal weights put two replicas on two clusters and the third replica on the third", async () => {
  await kubectl(["apply", "-f", "-"], JSON.stringify(policy("pipy", { weights: ["member1", "member2", "member3"] })));
  expect(await placed("pipy", 2)).toEqual([0, 1, 1]);
  await kubectl(["scale", "deployment", "pipy", "--replicas=3"]);
  expect(await placed("pipy", 3)).toEqual([1, 1, 1]);
  await eventually(
    () => kubectl.get("deployment", "pipy"),
    (pipy) => pipy.status.readyReplicas === 3,
  );
}, 120_000);

test("a workload directed to one cluster runs only there", async () => {
  await kubectl(["create", "deployment", "curl", "--image=curlimages/curl"]);
  await kubectl(["apply", "-f", "-"], JSON.stringify(policy("curl", { only: "member3" })));
  const binding = await eventually(
    () => kubectl.get("resourcebinding", "curl-deployment"),
    (found) => found.spec.clusters?.length === 1,
  );
  expect(binding.spec.clusters).toEqual([{ name: "member3", replicas: 1 }]);
  await kubectl(["scale", "deployment", "pipy", "--replicas=2"]);
  expect(await placed("pipy", 2)).toEqual([0, 1, 1]);
}, 120_000);

test("a policy that divides by what is available asks the estimator of every member", async () => {
  await kubectl(["create", "deployment", "roomy", "--image=flomesh/pipy", "--replicas=6"]);
  await kubectl(["apply", "-f", "-"], JSON.stringify(policy("roomy", { byRoom: ["member1", "member2", "member3"] })));
  await placed("roomy", 6);
  const estimators = (await stack.processes()).filter(({ command }) => command.includes("scheduler-estimator --"));
  expect(estimators).toHaveLength(3);
  for (const { command } of estimators) {
    const [, address] = /--metrics-bind-address=(\S+)/.exec(command) ?? [];
    const metrics = await (await fetch(`http://${address}/metrics`)).text();
    expect(metrics).toMatch(/estimating_request_total\{result="success",type="MaxAvailableReplicas"\} [1-9]/);
  }
}, 120_000);

describe("a Prometheus", () => {
  let prometheus: Prometheus;

  beforeAll(async () => {
    prometheus = await prometheusOf(stack);
  }, 120_000);
  afterAll(() => prometheus.remove());

  test("is answered by everything that runs beside the simulated clusters", async () => {
    const { scraped } = prometheus;
    const answered = { status: 200, type: expect.stringMatching(/^text\/plain; version=0\.0\.4/) };
    expect(scraped.map(({ status, type }) => ({ status, type }))).toEqual(scraped.map(() => answered));
    expect(scraped.filter(({ samples }) => samples.length < 50)).toEqual([]);
    const { versions } = await stack.outputs<{ versions: Record<string, string> }>();
    const isSimulated = (name: string) => /^member\d-kube|-kwok$|^simulated-/.test(name);
    const own = Object.keys(versions).filter((name) => !isSimulated(name));
    expect(scraped.map(({ labels }) => labels["process"]).sort()).toEqual(own.sort());
  });

  test("is told by everyone what the rules and the dashboard go by", () => {
    expect(prometheus.rules.length).toBeGreaterThan(50);
    expect(prometheus.panels.length).toBeGreaterThan(25);
    expect(untold(prometheus.rules, prometheus.scraped, prometheus.panels)).toEqual([]);
  });
});

test("addons go into the control plane, into members and through one into the other; a bad one changes nothing; none leaves nothing", async () => {
  const files = await manifests();
  const member = await kubectlFor(await readFile(`${stack.directory}/member1-kwok/kubeconfig`, "utf8"));
  const other = await kubectlFor(await readFile(`${stack.directory}/member2-kwok/kubeconfig`, "utf8"));
  const plane = files.addon("plane", { kind: "controlPlane" });
  const spread = files.addon("spread", { kind: "propagated", members: ["member1"] }, { after: ["plane"] });
  const direct = files.addon("direct", { kind: "members", members: ["member2"] }, { namespace: "shops" });
  const all = { plane, spread, direct };
  const chart = async (values: object) => ({
    name: "chart",
    source: { ...(await files.chart("web", webChart)), createNamespace: true, values },
    target: { kind: "members", members: ["member2"] },
    namespace: "charts",
  });
  const inMember = () => member.kubectl(["get", "configmap", "spread", "-o", "jsonpath={.data.mode}"]);
  try {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shops" } };
    await files.write("plane", [configMap("plane", "first")]);
    await files.write("spread", [configMap("spread", "first"), web("spread", 1)]);
    await files.write("direct", [web("direct", 2), ...shops, namespace]);
    stack.config["addons"] = [...Object.values(all), await chart({ replicas: 2 })];
    await stack.up();
    // It was waited for, what is propagated too: it is ready as soon as the update has ended.
    expect(await inMember()).toBe("first");
    expect((await member.kubectl.get("deployment", "spread")).status.readyReplicas).toBe(1);
    expect((await other.kubectl.get("deployment", "chart", "-n", "charts")).status.readyReplicas).toBe(2);
    expect((await other.kubectl.get("configmap", "chart", "-n", "charts")).data).toEqual({ mode: "v1.35.3" });
    expect(await ofAddons(member.kubectl)).toEqual(["ConfigMap default/spread", "Deployment default/spread"]);
    expect((await other.kubectl.get("deployment", "direct", "-n", "shops")).status.readyReplicas).toBe(2);
    expect((await other.kubectl.get("shop", "first", "-n", "shops")).spec).toEqual({ open: true });
    expect(await ofAddons(kubectl)).toEqual([
      "ConfigMap default/plane",
      "ConfigMap default/spread",
      "Deployment default/spread",
    ]);

    await files.write("spread", [configMap("spread", "second")]);
    stack.config["addons"] = [
      ...[spread, direct].map((addon) => ({ ...addon, after: [] })),
      await chart({ replicas: 1 }),
    ];
    // Each object of a chart is previewed by itself.
    const preview = await stack.preview();
    expect(preview.text).toMatch(/replicas *: 2 => 1/);
    expect(preview.text).not.toContain("ConfigMap/charts/chart");
    await stack.up();
    expect((await other.kubectl.get("deployment", "chart", "-n", "charts")).spec.replicas).toBe(1);
    expect(await inMember()).toBe("second");
    expect(await ofAddons(kubectl)).toEqual(["ConfigMap default/spread"]);
    await stack.successfully(["preview", "--expect-no-changes"]);

    await files.write("direct", [{ kind: "ConfigMap", metadata: { name: "nameless" } }]);
    const refused = await stack.pulumi(["up", "--yes", "--skip-preview"]);
    expect(refused.exitCode).not.toBe(0);
    expect(refused.text).toMatch(/addons\[1\]\.source\.file: direct: .*direct\.yaml, document 1: missing apiVersion/);
    expect(await ofAddons(other.kubectl)).toContain("Deployment shops/direct");

    // What fails half-way is named, what came before it stays, and the next up goes on.
    const failing = web("failing", 1);
    const unselected = { ...failing, spec: { ...failing.spec, selector: { matchLabels: { app: "other" } } } };
    await files.write("direct", [web("direct", 2), unselected, configMap("late", "first"), ...shops, namespace]);
    const half = await stack.pulumi(["up", "--yes", "--skip-preview"]);
    expect(half.exitCode).not.toBe(0);
    expect(half.text).toMatch(/failing.*selector.*does not match/s);
    expect((await other.kubectl.get("deployment", "direct", "-n", "shops")).status.readyReplicas).toBe(2);
    await files.write("direct", [web("direct", 2), failing, configMap("late", "first"), ...shops, namespace]);
    await stack.up();
    expect((await other.kubectl.get("deployment", "failing", "-n", "shops")).status.readyReplicas).toBe(1);

    delete stack.config["addons"];
    await stack.up();
    expect(await ofAddons(other.kubectl)).toEqual([]);
    expect(await ofAddons(kubectl)).toEqual([]);
    await eventually(
      () => ofAddons(member.kubectl),
      (left) => left.length === 0,
    );
    expect((await kubectl.get("clusterpropagationpolicies")).items).toEqual([]);
  } finally {
    await Promise.all([files.remove(), member.remove(), other.remove()]);
  }
}, 300_000);

test("a CloneSet is divided by Karmada's own interpreter once its kind is an addon, and what members tell of it is added up", async () => {
  const members = ["member1", "member2"];
  const there = await Promise.all(
    members.map(async (name) => kubectlFor(await readFile(`${stack.directory}/${name}-kwok/kubeconfig`, "utf8"))),
  );
  const source = { kind: "manifest", directory: "examples/addons/kruise" };
  const metadata = { name: "web", namespace: "default" };
  const cloneSet = { apiVersion: "apps.kruise.io/v1alpha1", kind: "CloneSet", metadata };
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "web" }] } };
  const policy = {
    apiVersion: "policy.karmada.io/v1alpha1",
    kind: "PropagationPolicy",
    metadata,
    spec: {
      resourceSelectors: [{ apiVersion: cloneSet.apiVersion, kind: cloneSet.kind, name: "web" }],
      placement: {
        clusterAffinity: { clusterNames: members },
        replicaScheduling: { replicaSchedulingType: "Divided", replicaDivisionPreference: "Weighted" },
      },
    },
  };
  try {
    stack.config["addons"] = [{ name: "kruise", source, target: { kind: "propagated", members } }];
    await stack.up();
    const objects = [{ ...cloneSet, spec: { replicas: 4, template } }, policy];
    await kubectl(["apply", "-f", "-"], objects.map((object) => JSON.stringify(object)).join("\n"));
    for (const { kubectl: member } of there) {
      const { spec } = await eventually(
        () => member.get("cloneset", "web"),
        () => true,
        60,
      );
      expect(spec.replicas).toBe(2);
      const status = { observedGeneration: 1, replicas: 2, readyReplicas: 2, updatedReplicas: 2, availableReplicas: 1 };
      await member([
        "patch",
        "cloneset",
        "web",
        "--subresource=status",
        "--type=merge",
        "-p",
        JSON.stringify({ status }),
      ]);
    }
    await eventually(
      () => kubectl.get("cloneset", "web"),
      ({ status }) => status?.readyReplicas === 4 && status.availableReplicas === 2,
      60,
    );
    await kubectl(["delete", "cloneset,propagationpolicy", "web"]);
    delete stack.config["addons"];
    await stack.up();
  } finally {
    await Promise.all(there.map(({ remove }) => remove()));
  }
}, 240_000);

test("every killed program comes back without pulumi", async () => {
  const before = (await stack.processes()).filter(({ command }) => !command.includes("supervisor"));
  expect(before.length).toBeGreaterThan(20);
  for (const { pid } of before) process.kill(pid, "SIGKILL");
  await eventually(
    () => stack.processes(),
    (now) => now.filter(({ command }) => !command.includes("supervisor")).length === before.length,
    60,
  );
  await eventually(
    () => kubectl.get("clusters"),
    (clusters) => clusters.items.every((c: Json) => readyOf(c) === "True"),
    120,
  );
  await stack.successfully(["preview", "--refresh", "--expect-no-changes"]);
}, 300_000);

test("an edited file is seen by refresh, named in the preview and repaired by up", async () => {
  const file = `${stack.directory}/karmada-scheduler/karmada.config`;
  const original = await readFile(file, "utf8");
  await writeFile(file, "edited by hand");
  await stack.refresh();
  const preview = await stack.preview();
  expect(preview.text).toContain("karmada-scheduler");
  await stack.up();
  expect(await readFile(file, "utf8")).toBe(original);
  await stack.successfully(["preview", "--refresh", "--expect-no-changes"]);
}, 180_000);

test("one more argument restarts exactly the component it is for", async () => {
  const before = await stack.processes();
  stack.config["controlPlane"] = {
    ...(stack.config["controlPlane"] as object),
    "karmada-scheduler": { extraArgs: { "kube-api-qps": "50" } },
  };
  await stack.up();
  const after = await stack.processes();
  const started = after.filter(({ pid }) => !before.some((process) => process.pid === pid));
  expect(started.map(({ command }) => command)).toEqual([
    expect.stringMatching(/karmada-scheduler .*--kube-api-qps=50/),
  ]);
  expect(after).toHaveLength(before.length);
}, 120_000);

test("an API server that restarts does not wait a minute for the watches of aggregated APIs", async () => {
  stack.config["controlPlane"] = {
    ...(stack.config["controlPlane"] as object),
    encryption: { provider: "secretbox" },
    "kube-apiserver": {
      files: {
        "audit.yaml": { text: JSON.stringify(auditPolicy) },
        "authorization.yaml": { text: JSON.stringify(authorization) },
        "webhook.kubeconfig": { secretText: JSON.stringify(webhookKubeconfig) },
      },
      extraArgs: {
        "audit-policy-file": { file: "audit.yaml" },
        "audit-log-path": "-",
        "authorization-config": { file: "authorization.yaml" },
      },
    },
  };
  const { text } = await stack.up();
  const [, seconds] = /karmada-apiserver updated \((\d+)(?:\.\d+)?s\)/.exec(text) ?? [];
  expect(Number(seconds)).toBeLessThan(55);
}, 180_000);

test("it goes by the audit policy and the webhook that it was given, and what is secret in etcd is encrypted, in Works too", async () => {
  await kubectl(["create", "secret", "generic", "mine", "--from-literal=password=s3cret-of-mine"]);
  const given = `--audit-policy-file=${stack.directory}/karmada-apiserver/given/audit.yaml`;
  expect((await stack.processes()).filter(({ command }) => command.includes(given))).toHaveLength(1);
  const log = await readFile(`${stack.directory}/logs/karmada-apiserver.log`, "utf8");
  expect(log).toMatch(/"kind":"Event".*"verb":"create".*"resource":"secrets","namespace":"default","name":"mine"/);
  const { secrets, works } = await secretsInEtcd((await stack.outputs<Outputs>()).etcdAccess);
  expect([secrets.length > 1, works.length > 1]).toEqual([true, true]);
  expect([...secrets, ...works].filter((value) => !value.startsWith("k8s:enc:secretbox:v1:key-"))).toEqual([]);
  stack.config["controlPlane"] = { ...(stack.config["controlPlane"] as object), encryption: {} };
  expect((await stack.preview()).text).toContain("API servers could not read what is encrypted in etcd");
  stack.config["controlPlane"] = { ...(stack.config["controlPlane"] as object), encryption: { provider: "secretbox" } };
  await stack.successfully(["preview", "--expect-no-changes"]);
}, 120_000);

test("a member leaves without a trace and joins again", async () => {
  const all = stack.config["members"] as unknown[];
  stack.config["members"] = all.slice(0, 2);
  expect((await stack.preview()).text).toContain(
    "member3 cannot leave: PropagationPolicy default/curl names no other cluster",
  );
  stack.config["membersMayLeave"] = ["member3"];
  await stack.up();
  expect((await kubectl.get("clusters")).items.map((cluster: Json) => cluster.metadata.name)).toEqual([
    "member1",
    "member2",
  ]);
  const left = await kubectl(["get", "namespaces,secrets,services", "-A", "-o", "name"]);
  expect(left).not.toContain("member3");
  expect(await processesNaming(`${stack.directory}/member3`)).toEqual([]);
  stack.config["members"] = all;
  delete stack.config["membersMayLeave"];
  await stack.up();
  await eventually(
    () => kubectl.get("cluster", "member3"),
    (cluster) => readyOf(cluster) === "True",
  );
}, 300_000);

test("destroy leaves no process, no port and no file", async () => {
  const ports = await listening();
  expect(ports.length).toBeGreaterThan(10);
  await stack.successfully(["destroy", "--yes", "--skip-preview"]);
  expect(await stack.processes()).toEqual([]);
  expect(await listening()).toEqual([]);
  await expect(readFile(stack.directory)).rejects.toMatchObject({ code: "ENOENT" });
}, 180_000);

/** A moment, told in any way, in whole seconds. */
const seconds = (moment: string) => Math.floor(Date.parse(moment) / 1000);

/** Replicas per member once the scheduler has placed so many, in ascending order. */
async function placed(deployment: string, replicas: number): Promise<number[]> {
  const counts = (binding: Json): number[] => (binding.spec.clusters ?? []).map((target: Json) => target.replicas ?? 0);
  const binding = await eventually(
    () => kubectl.get("resourcebinding", `${deployment}-deployment`),
    (found) => counts(found).reduce((a, b) => a + b, 0) === replicas,
  );
  const present = counts(binding).filter((count) => count > 0);
  return [...Array<number>(3 - present.length).fill(0), ...present.sort()];
}

function policy(workload: string, to: { weights: string[] } | { byRoom: string[] } | { only: string }) {
  const names = "only" in to ? [to.only] : "weights" in to ? to.weights : to.byRoom;
  const weighted = {
    replicaDivisionPreference: "Weighted",
    replicaSchedulingType: "Divided",
    weightPreference:
      "byRoom" in to
        ? { dynamicWeight: "AvailableReplicas" }
        : { staticWeightList: names.map((name) => ({ targetCluster: { clusterNames: [name] }, weight: 10 })) },
  };
  return {
    apiVersion: "policy.karmada.io/v1alpha1",
    kind: "PropagationPolicy",
    metadata: { name: workload, namespace: "default" },
    spec: {
      resourceSelectors: [
        { apiVersion: "apps/v1", kind: "Deployment", name: workload },
        ...("only" in to ? [] : [{ apiVersion: "v1", kind: "Service", name: workload }]),
      ],
      placement: {
        clusterAffinity: { clusterNames: names },
        ...("only" in to ? {} : { replicaScheduling: weighted }),
      },
    },
  };
}

/** Ports of the stack's range that answer. */
async function listening(): Promise<number[]> {
  const ports = Array.from({ length: 1000 }, (_, offset) => basePort + offset);
  const answers = await Promise.all(
    ports.map(
      (port) =>
        new Promise<boolean>((resolve) => {
          const socket = createConnection({ host: "127.0.0.1", port });
          socket.once("connect", () => (socket.destroy(), resolve(true)));
          socket.once("error", () => resolve(false));
        }),
    ),
  );
  return ports.filter((_, index) => answers[index]);
}
