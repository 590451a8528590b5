import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import type { OnHosts } from "../../../components/placement/hosts.ts";
import type { Process } from "../../../components/process.ts";
import type { ControlPlaneProcesses } from "../../../components/processes/control-plane.ts";
import type { ProcessTarget } from "../../../lib/monitoring/monitored.ts";
import { componentNames } from "../../../spec/control-plane/component-names.ts";
import { deploymentOf } from "../support/deployment.ts";
import { settled, valueOf, withMocks } from "../support/mocks.ts";

type WholeDeployment = Extract<OnHosts, { readonly members: unknown }>;

const registered = await withMocks({
  "pulumi-nodejs:dynamic/local:Program": ({ name }) => ({ path: `/store/${String(name)}`, sha256: "d".repeat(64) }),
  "pulumi-nodejs:dynamic/hosts:HostPreflight": ({ deployment }) => ({
    interfaces: { host1: { own: "eth1", vip: "eth1" }, host3: { own: "eth3", vip: "eth3" } },
    ...(deployment === "new" && { firstTakenAt: Date.now() }),
    ...(deployment === "interrupted" && { firstTakenAt: performance.timeOrigin - 1 }),
    ...(deployment === "ahead" && { firstTakenAt: Date.now() + 3_600_000 }),
  }),
});
const { hostsPlacement } = await import("../../../components/placement/hosts.ts");
const { HostsPorts } = await import("../../../components/placement/hosts-ports.ts");
const { placeReplicas } = await import("../../../components/placed.ts");
const { planAll } = await import("../../../components/karmada-plan.ts");
const { planBalancers } = await import("../../../components/balancers.ts");
const { scrapeTargets } = await import("../../../components/monitoring.ts");
const { bind, data, file, host, loopback, port, text, urls } = await import("../../../components/process.ts");

const hostKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"x".repeat(43)}`;
const settings = (
  hosts: object[],
  {
    name,
    etcd,
    members,
    controlPlane,
    ...more
  }: {
    mirror?: object;
    loadBalancer?: object;
    components?: object;
    etcdIo?: object;
    hooks?: object[];
    name?: string;
    etcd?: object;
    members?: object[];
    controlPlane?: object;
  } = {},
) =>
  deploymentOf({
    placement: {
      ...more,
      kind: "hosts",
      ssh: { privateKey: "k3y" },
      hosts: hosts.map((each, i) => ({ name: `host${i + 1}`, address: `10.0.0.1${i + 1}`, ssh: { hostKey }, ...each })),
    },
    ...(name !== undefined && { name }),
    ...(etcd !== undefined && { etcd }),
    ...(members !== undefined && { members }),
    ...(controlPlane !== undefined && { controlPlane }),
  }) as unknown as WholeDeployment;

const noControlPlane = Object.fromEntries(
  componentNames.map((component) => [component, []]),
) as unknown as ControlPlaneProcesses;
const placement = hostsPlacement(settings([{}, {}, {}]));

const etcd: Process = {
  name: "etcd-1",
  component: "etcd",
  program: { name: "etcd", version: "3.6.6" },
  args: [
    text`--listen-client-urls=https://${bind}:${port("client")}`,
    text`--listen-metrics-urls=http://${loopback}:${port("metrics")}`,
    text`--advertise-client-urls=https://${host()}:${port("client")}`,
    text`--peer=https://${host("etcd-2")}:${port("peer", "etcd-2")}`,
    text`--cert-file=${file("pki/tls.crt")}`,
    text`--data=${data("x")}`,
  ],
  limits: { memory: "1Gi", cpu: "500m" },
  ports: ["client", "peer", "metrics"],
  files: { "pki/ca.crt": { from: "authority", authority: "etcd" }, "pki/tls.crt": { from: "given" } },
  rereads: ["pki/tls.crt"],
  certificates: [],
  probe: { kind: "http", scheme: "https", port: "client", path: "/health", authority: "etcd" },
  startDeadline: "60s",
  stopDeadline: "10s",
};

const placed = placement.prepare(etcd, { "pki/ca.crt": "CA" }, {});
placement.place(
  { ...etcd, name: "karmada-scheduler-2", component: "karmada-scheduler" },
  { "pki/ca.crt": "CA" },
  {},
  pulumi.output("the cluster that was restored"),
);
const version = await valueOf(placed.version);
const runtime = await valueOf(pulumi.output(placement.etcdRuntime()));
await settled();

const found = (name: string) => registered.find((each) => each.name === name)!;
const unsealed = (value: { value?: unknown }) => (value as { value: unknown }).value ?? value;

test("each member of etcd and each replica is on a host of its own, and what there is one of on the first", () => {
  const processes = ["etcd-0", "etcd-2", "karmada-apiserver", "karmada-search-1", "karmada-search-2", "member-2"];
  expect(processes.map((process) => placement.host(process))).toEqual([
    "10.0.0.11",
    "10.0.0.13",
    "10.0.0.11",
    "10.0.0.12",
    "10.0.0.13",
    "10.0.0.11",
  ]);
  expect(() => placement.host("karmada-search-3")).toThrow("karmada-search-3: no host is meant for it");
});

test("what runs on a host is scraped there, by the loopback address", () => {
  const { hostName } = placement;
  expect(["etcd-1", "karmada-search", "karmada-search-2"].map((process) => hostName?.call(placement, process))).toEqual(
    ["host2", "host1", "host3"],
  );
  const deployment = settings([{}, {}, {}]);
  const targets = scrapeTargets(planAll(deployment as never, placement), placement) as ProcessTarget[];
  expect(targets.filter(({ component }) => /^(etcd|kube-apiserver)$/.test(component))).toEqual([
    ...[1, 2, 3].map((i) => ({
      process: `etcd-${i - 1}`,
      component: "etcd",
      address: "127.0.0.1:2381",
      scheme: "http",
      host: `host${i}`,
      etcdCluster: "test",
    })),
    ...["", "-1", "-2"].map((replica, i) => ({
      process: `karmada-apiserver${replica}`,
      component: "kube-apiserver",
      address: "127.0.0.1:5443",
      scheme: "https",
      host: `host${i + 1}`,
    })),
  ]);
  const addresses = targets.map(({ host, address }) => `${host} ${address}`);
  expect(new Set(addresses).size).toBe(addresses.length);
});

test("ports are the same on every host, those that everybody knows", () => {
  expect(["etcd-0", "etcd-6"].map((member) => placement.port(member, "client"))).toEqual([2379, 2379]);
  expect(["karmada-apiserver", "karmada-apiserver-2"].map((each) => placement.port(each, "secure"))).toEqual([
    5443, 5443,
  ]);
});

test("agents of members have ports on their hosts, however many there are on others", () => {
  const kubeconfig = JSON.stringify({
    clusters: [{ name: "a", cluster: { server: "https://a.example.org" } }],
    users: [{ name: "a", user: { token: "t" } }],
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    "current-context": "a",
    apiVersion: "v1",
  });
  const members = Array.from({ length: 500 }, (_, i) => ({
    name: `member${i}`,
    syncMode: "Pull",
    credentials: { kind: "kubeconfig", kubeconfig },
  }));
  const many = hostsPlacement(settings([{}, {}, {}], { members, name: "many" }));
  const agents = members.map(({ name }) => `${name}-karmada-agent`);
  const numbers = agents.flatMap((agent) =>
    ["metrics", "health"].map((port) => `${many.host(agent)}:${many.port(agent, port)}`),
  );
  expect(new Set(numbers).size).toBe(1000);
});

test("an API server reaches the replica beside it, and the first one when some have none beside them", () => {
  const apiservers = ["karmada-apiserver", "karmada-apiserver-2"];
  const all = ["karmada-search", "karmada-search-1", "karmada-search-2"];
  const direct = { port: 5445 };
  expect(placement.nearest(all, "secure", apiservers)).toEqual({ ...direct, host: "127.0.0.1" });
  expect(placement.nearest(["karmada-search"], "secure", apiservers)).toEqual({ ...direct, host: "10.0.0.11" });
});

test("a member that somebody else starts is written down on its host, its addresses and paths filled in", () => {
  const { type, inputs, dependsOn } = found("test-etcd-1");
  expect(type).toBe("pulumi-nodejs:dynamic/hosts:HostPreparedProcess");
  expect(inputs).toMatchObject({
    name: "etcd-1",
    component: "etcd",
    program: "etcd",
    programSha256: "d".repeat(64),
    args: [
      "--listen-client-urls=https://0.0.0.0:2379",
      "--listen-metrics-urls=http://127.0.0.1:2381",
      "--advertise-client-urls=https://10.0.0.12:2379",
      "--peer=https://10.0.0.13:2380",
      "--cert-file=/etc/karmada/etcd-1/pki/tls.crt",
      "--data=/var/lib/karmada/etcd-1/x",
    ],
    env: { GOMEMLIMIT: "1073741824", GOMAXPROCS: "1" },
    contents: { "pki/ca.crt": "CA" },
    rereads: ["pki/tls.crt"],
    stopSeconds: 10,
    memoryBytes: 1073741824,
    cores: 0.5,
    notifies: true,
  });
  expect(unsealed(inputs["host"])).toMatchObject({
    kind: "ssh",
    name: "host2",
    address: "10.0.0.12",
    privateKey: "k3y",
  });
  expect(dependsOn).toEqual(["test-host2-programs", "test-preflight", "test-program-etcd-3.6.6"]);
  expect(version).toBe("3.6.6");
});

test("a member comes to its disk before others, and has its data where its host is told to have them", async () => {
  const usual = { IOSchedulingClass: ["best-effort"], IOSchedulingPriority: ["0"] };
  expect(found("test-etcd-1").inputs["unitSettings"]).toEqual(usual);
  expect(found("test-etcd-1").inputs).not.toHaveProperty("dataDirectory");
  expect(found("test-karmada-scheduler-2").inputs).not.toHaveProperty("unitSettings");

  const hosts = [{}, { etcdDirectory: "/mnt/etcd" }, {}];
  const own = hostsPlacement(settings(hosts, { name: "disk", etcdIo: { class: "realtime", priority: 4 } }));
  own.prepare(etcd, { "pki/ca.crt": "CA" }, {});
  own.place({ ...etcd, name: "karmada-scheduler-1", component: "karmada-scheduler" }, {}, {});
  await settled();
  expect(found("disk-etcd-1").inputs).toMatchObject({
    dataDirectory: "/mnt/etcd",
    unitSettings: { IOSchedulingClass: ["realtime"], IOSchedulingPriority: ["4"] },
  });
  expect(found("disk-karmada-scheduler-1").inputs).not.toHaveProperty("dataDirectory");
  const wanted = unsealed(found("disk-preflight").inputs["hosts"] as object) as Record<string, { etcdData?: string }>;
  expect(Object.values(wanted).map(({ etcdData }) => etcdData)).toEqual([undefined, "/mnt/etcd/etcd-1", undefined]);
});

test("any other process is asked on its host whether it serves", () => {
  const { type, inputs, dependsOn } = found("test-karmada-scheduler-2");
  expect(type).toBe("pulumi-nodejs:dynamic/hosts:HostProcess");
  expect(inputs["probe"]).toMatchObject({ kind: "http", scheme: "https", path: "/health", ca: "pki/ca.crt" });
  expect(inputs["notifies"]).toBe(false);
  expect(inputs["follows"]).toBe("the cluster that was restored");
  expect(dependsOn).toEqual(["test-host3-programs", "test-preflight", "test-program-etcd-3.6.6"]);
});

test("all hosts are looked at first, each for what it is wanted for", () => {
  const { inputs } = found("test-preflight");
  const hosts = unsealed(inputs["hosts"]) as Record<string, { ports: object; reached: number[]; etcd: boolean }>;
  expect(Object.keys(hosts)).toEqual(["host1", "host2", "host3"]);
  expect(hosts["host2"]!.ports).toMatchObject({
    "etcd-1 client": 2379,
    "etcd-1 peer": 2380,
    "karmada-apiserver-1 secure": 5443,
    "karmada-webhook-1 health": 8445,
  });
  expect(Object.keys(hosts["host2"]!.ports).some((what) => what.startsWith("karmada-search"))).toBe(false);
  expect(hosts["host2"]!.reached).toEqual(expect.arrayContaining([2379, 2380, 5443]));
  expect(hosts["host2"]!.reached).not.toContain(2381);
  expect(hosts["host2"]!.etcd).toBe(true);
  expect(found("test-host2-programs").dependsOn).toEqual(["test-preflight", "test-program-etcd-3.6.6"]);
});

test("where an API server runs there has to be the socket of what encrypts for it, and time for that to answer", async () => {
  const encryption = { provider: "kms", name: "vault", endpoint: "unix:///run/kms/vault.sock", timeout: "2s" };
  const controlPlane = { encryption, "kube-apiserver": { replicas: 2 } };
  const encrypting = settings([{}, {}, {}], { name: "kms", controlPlane });
  const onHosts = hostsPlacement(encrypting);
  const [apiserver] = planAll(encrypting as never, onHosts).controlPlane["kube-apiserver"];
  const contents = Object.fromEntries(Object.keys(apiserver!.files).map((key) => [key, "CONTENT"]));
  onHosts.place(apiserver!, contents, {});
  await settled();
  const hosts = unsealed(found("kms-preflight").inputs["hosts"] as object) as Record<string, { sockets?: string[] }>;
  const socket = ["/run/kms/vault.sock"];
  expect(Object.values(hosts).map(({ sockets }) => sockets)).toEqual([socket, socket, undefined]);
  // Two resources, and a former plugin may have to be asked as well.
  expect(found("kms-karmada-apiserver").inputs["probe"]).toMatchObject({ path: "/readyz", answerSeconds: 13 });
  expect(found("test-karmada-scheduler-2").inputs["probe"]).not.toHaveProperty("answerSeconds");
});

test("the reconciler knows the host of every member there could be", () => {
  expect(runtime).toMatchObject({
    kind: "hosts",
    members: { "etcd-0": { address: "10.0.0.11" }, "etcd-1": { name: "host2" }, "etcd-2": { address: "10.0.0.13" } },
  });
});

test.each([
  ["hosts that this very run has taken wait for nothing of one another", "new", false],
  ["those that a run before has taken change one after another, even if it was cut off", "interrupted", true],
  ["so do those of a run whose clock was ahead", "ahead", true],
  ["so do those of a state that does not say when they were taken", "older", true],
])("%s", async (_, name, waits) => {
  const loadBalancer = { kind: "haproxy", vip: "10.0.0.100", hosts: ["host3", "host1"] };
  const deployment = settings([{}, {}, {}], { name, loadBalancer });
  const hosts = hostsPlacement(deployment);
  const pki = { trust: () => "CA", fileContents: ({ files }: Process) => files } as never;
  const stack = new pulumi.ComponentResource("test:index:Stack", name, {});
  const replicas = ["karmada-scheduler", "karmada-scheduler-1"].map((replica) => ({ ...etcd, name: replica }));
  placeReplicas({ placement: hosts, pki }, replicas, stack, { dependsOn: [] });
  const { ready = [] } =
    hosts.placeFront?.(`${name}-front`, planBalancers(deployment as never, noControlPlane), pki, {
      parent: stack,
      dependsOn: [],
    }) ?? {};
  expect(ready).toHaveLength(4);
  await settled();
  const waitsFor = (later: string, earlier: string) =>
    found(`${name}-${later}`).dependsOn.includes(`${name}-${earlier}`);
  expect(waitsFor("karmada-scheduler-1", "karmada-scheduler")).toBe(waits);
  expect(waitsFor("haproxy-host1", "keepalived-host3")).toBe(waits);
  expect(waitsFor("keepalived-host1", "haproxy-host1")).toBe(true);
  expect(waitsFor("karmada-scheduler-1", "preflight")).toBe(true);
});

test("a program goes to the API server beside it, or by what is in front of them all, so that none of them is missed", () => {
  const components = { "karmada-scheduler": ["host4", "host2"] };
  const servers = (loadBalancer?: object) => {
    const hosts = [{}, {}, {}, { controlPlane: false }];
    const deployment = settings(hosts, { name: "moved", components, ...(loadBalancer && { loadBalancer }) });
    const led = hostsPlacement(deployment);
    return planAll(deployment as never, led).controlPlane["karmada-scheduler"].map((scheduler) => {
      const kubeconfig = scheduler.files["karmada.config"];
      return led.text(scheduler, kubeconfig?.from === "kubeconfig" ? kubeconfig.server : "");
    });
  };
  const front = "https://10.0.0.100:6443";
  expect(servers({ kind: "haproxy", vip: "10.0.0.100" })).toEqual([front, "https://10.0.0.12:5443"]);
  expect(servers({ kind: "external", endpoint: front })).toEqual([front, "https://10.0.0.12:5443"]);
  expect(servers()).toEqual(["https://10.0.0.11:5443", "https://10.0.0.12:5443"]);
});

test("by the load balancer beside it each API server comes to the replica of its own host first, and then to others", async () => {
  const loadBalancer = { kind: "haproxy", vip: "10.0.0.100", hosts: ["host1", "host2", "host3"] };
  const components = { "karmada-webhook": ["host3", "host1"], "karmada-aggregated-apiserver": ["host4", "host2"] };
  const deployment = settings([{}, {}, {}, { controlPlane: false }], { name: "led", loadBalancer, components });
  const led = hostsPlacement(deployment);
  const { controlPlane, balancers } = planAll(deployment as never, led);
  const apiservers = controlPlane["kube-apiserver"].map(({ name }) => name);
  const webhooks = ["karmada-webhook", "karmada-webhook-1"];
  expect(led.nearest(webhooks, "secure", apiservers)).toEqual({ host: "127.0.0.1", port: 8463 });
  // Another's clients cannot be led: it has no load balancer beside it.
  expect(led.nearest(webhooks, "secure", ["karmada-aggregated-apiserver"])).toMatchObject({ host: "10.0.0.13" });

  const servers = (balancer: number) => {
    const haproxy = balancers[balancer]!;
    const source = haproxy.files["haproxy.cfg"];
    const configuration = led.text(haproxy, source?.from === "text" ? source.text : "");
    return [...configuration.matchAll(/^ {4}(?:bind 127.*|server karmada-(?:webhook|aggregated).*)$/gm)].map(([line]) =>
      line.trim(),
    );
  };
  const answers = "bind 127.0.0.1:8404";
  const webhook = ["server karmada-webhook 10.0.0.13:8443", "server karmada-webhook-1 10.0.0.11:8443"];
  const aggregated = [
    "server karmada-aggregated-apiserver 10.0.0.14:5444",
    "server karmada-aggregated-apiserver-1 10.0.0.12:5444",
  ];
  const binds = { aggregated: "bind 127.0.0.1:5464", webhook: "bind 127.0.0.1:8463" };
  expect(servers(0)).toEqual([binds.aggregated, ...aggregated, binds.webhook, ...webhook.toReversed(), answers]);
  expect(servers(1)).toEqual([binds.aggregated, ...aggregated.toReversed(), binds.webhook, ...webhook, answers]);
  expect(servers(2)).toEqual([binds.aggregated, ...aggregated, binds.webhook, ...webhook, answers]);

  await settled();
  const hosts = unsealed(found("led-preflight").inputs["hosts"]) as Record<string, { ports: object }>;
  expect(Object.entries(hosts["host3"]!.ports).filter(([what]) => what.startsWith("haproxy-"))).toEqual([
    ["haproxy-host3 clients", 6443],
    ["haproxy-host3 http", 8404],
    ["haproxy-host3 karmada-aggregated-apiserver", 5464],
    ["haproxy-host3 karmada-webhook", 8463],
  ]);
});

test("a load balancer's programs are the hosts' own, one of each on a host, and its address is the endpoint", async () => {
  const deployment = settings([{}, {}, {}], {
    name: "balanced",
    loadBalancer: { kind: "haproxy", vip: "10.0.0.100", hosts: ["host3", "host1"] },
  });
  const balanced = hostsPlacement(deployment);
  expect(balanced.endpoint).toBe("https://10.0.0.100:6443");
  const authority = { trust: () => "CA", fileContents: ({ files }: Process) => files };
  const apiservers = [{ name: "karmada-apiserver" }, { name: "karmada-apiserver-1" }] as Process[];
  const controlPlane = { ...noControlPlane, "kube-apiserver": apiservers };
  const stack = new pulumi.ComponentResource("test:index:Stack", "balanced", {});
  const opts = { parent: stack, dependsOn: [] };
  const front = balanced.placeFront?.(
    "balanced-front",
    planBalancers(deployment as never, controlPlane),
    authority as never,
    opts,
  );
  expect(front?.url).toBe("https://10.0.0.100:6443");
  expect(front?.ready).toHaveLength(4);
  await settled();

  const { inputs } = found("balanced-preflight");
  const hosts = unsealed(inputs["hosts"]) as Record<string, { ports: object; vip?: object; installed?: string[] }>;
  expect(Object.keys(hosts).filter((host) => hosts[host]!.vip !== undefined)).toEqual(["host1", "host3"]);
  expect(hosts["host3"]).toMatchObject({
    ports: { "haproxy-host3 clients": 6443, "haproxy-host3 http": 8404 },
    installed: ["/usr/sbin/haproxy", "/usr/sbin/keepalived"],
    vip: { address: "10.0.0.100", routerId: 100 },
  });
  // Programs there come to etcd by what stands beside them, those of other hosts come to each member.
  const servers = text`--etcd-servers=${urls("client", ["etcd-0", "etcd-1", "etcd-2"])}`;
  const apiserver = (name: string) => balanced.text({ ...etcd, name }, servers);
  expect(apiserver("karmada-apiserver")).toBe("--etcd-servers=https://127.0.0.1:2383");
  expect(apiserver("karmada-apiserver-1")).toBe(
    "--etcd-servers=https://10.0.0.11:2379,https://10.0.0.12:2379,https://10.0.0.13:2379",
  );
  expect(hosts["host3"]!.ports).toMatchObject({ "etcd-proxy-host3 etcd": 2383, "etcd-proxy-host3 http": 2384 });
  expect(hosts["host2"]!.ports).not.toHaveProperty(["etcd-proxy-host2 etcd"]);
  expect(hosts["host3"]).toHaveProperty("reached", expect.not.arrayContaining([2383]));
  expect(found("balanced-haproxy-host3").inputs).toMatchObject({
    name: "haproxy-host3",
    program: "/usr/sbin/haproxy",
    programSha256: "",
    probe: { kind: "http", scheme: "http", port: 8404, path: "/answers" },
  });
  const keepalived = found("balanced-keepalived-host3");
  expect(keepalived.inputs).toMatchObject({
    probe: { kind: "active" },
    notifies: true,
    unitSettings: { AmbientCapabilities: ["CAP_NET_ADMIN CAP_NET_RAW"] },
  });
  expect(unsealed(keepalived.inputs["host"])).toMatchObject({ address: "10.0.0.13" });
  const { contents } = keepalived.inputs as { contents: Record<string, string> };
  expect(contents["keepalived.conf"]).toContain("interface eth3");
  // One host after another.
  expect(found("balanced-haproxy-host1").dependsOn).toContain("balanced-keepalived-host3");
});

test("etcds for some kinds of objects have ports of their own, and API servers come to them as they come to the first", async () => {
  const overrides = [
    { name: "often", resources: ["/events"], members: 3 },
    { name: "leases", resources: ["coordination.k8s.io/leases"] },
  ];
  const deployment = settings([{}, {}, {}, { etcd: "none", etcdDirectory: "/mnt/etcd", controlPlane: false }], {
    name: "split",
    loadBalancer: { kind: "haproxy", vip: "10.0.0.100", hosts: ["host3", "host1"] },
    components: { "etcd-leases": ["host4"] },
    etcd: { kind: "managed", overrides },
  });
  const split = hostsPlacement(deployment);
  const plan = planAll(deployment as never, split);
  const servers = (process: Process) =>
    process.args.map((arg) => split.text(process, arg)).filter((arg) => arg.startsWith("--etcd-servers"));
  const leases = "coordination.k8s.io/leases#https://10.0.0.14:2394";
  expect(plan.controlPlane["kube-apiserver"].slice(0, 2).map(servers)).toEqual([
    ["--etcd-servers=https://127.0.0.1:2383", `--etcd-servers-overrides=/events#https://127.0.0.1:2385,${leases}`],
    [
      "--etcd-servers=https://10.0.0.11:2379,https://10.0.0.12:2379,https://10.0.0.13:2379",
      `--etcd-servers-overrides=/events#https://10.0.0.11:2391;https://10.0.0.12:2391;https://10.0.0.13:2391,${leases}`,
    ],
  ]);
  expect(plan.etcdProxies.map(({ name, ports }) => [name, ports])).toEqual([
    ["etcd-proxy-host3", ["etcd", "events", "http"]],
    ["etcd-proxy-host1", ["etcd", "events", "http"]],
  ]);
  expect(await valueOf(pulumi.output(split.etcdRuntime()))).toMatchObject({
    members: {
      "etcd-0": { name: "host1" },
      "etcd-often-0": { name: "host1" },
      "etcd-often-2": { name: "host3" },
      "etcd-leases-0": { name: "host4" },
    },
  });
  const targets = scrapeTargets(plan, split).filter(({ etcdCluster }) => etcdCluster === "split.often");
  expect(targets.map((target) => (target as ProcessTarget).address)).toEqual(Array(3).fill("127.0.0.1:2393"));

  split.prepare(plan.etcd.members[0]!, {}, {});
  await settled();
  const wanted = unsealed(found("split-preflight").inputs["hosts"] as object) as Record<string, { ports: object }>;
  expect(wanted["host3"]!.ports).toMatchObject({
    "etcd-2 client": 2379,
    "etcd-often-2 client": 2391,
    "etcd-often-2 metrics": 2393,
    "etcd-proxy-host3 events": 2385,
  });
  expect(wanted["host3"]!.ports).not.toHaveProperty(["etcd-proxy-host3 leases"]);
  expect(wanted["host2"]).toHaveProperty("reached", expect.arrayContaining([2379, 2380, 2391, 2392]));
  expect(wanted["host4"]).toEqual(
    expect.objectContaining({
      ports: { "etcd-leases-0 client": 2394, "etcd-leases-0 peer": 2395, "etcd-leases-0 metrics": 2396 },
      etcd: true,
      etcdData: "/mnt/etcd/etcd-leases-0",
    }),
  );
});

test("a program of our own goes to the host as one file, with a Node.js that may make machine code, and what it runs itself", async () => {
  const backup: Process = {
    ...etcd,
    name: "etcd-backup",
    component: "etcd-backup",
    program: { main: "lib/backup/main.ts" },
    args: [[file("pki/ca.crt")]],
    writes: [{ path: "/backup", own: ["prod"] }],
  };
  placement.place(backup, {}, {});
  const etcdutl = placement.executable({ name: "etcdutl", version: "3.6.6" }, backup);
  expect(placement.hostOf && (await valueOf(placement.hostOf(backup)))).toMatchObject({ address: "10.0.0.11" });
  expect(await valueOf(etcdutl)).toBe(`/opt/karmada/${"d".repeat(64)}/etcdutl`);
  await settled();

  const { inputs, dependsOn } = found("test-etcd-backup");
  const sent = found("test-host1-programs").inputs as Record<"programs" | "sources", Record<string, string>>;
  const sha256 = sent.programs["backup.mjs"]!;
  const source = sent.sources["backup.mjs"]!;
  expect(createHash("sha256").update(readFileSync(source)).digest("hex")).toBe(sha256);
  expect((inputs["args"] as string[]).slice(-2)).toEqual([
    `/opt/karmada/${sha256}/backup.mjs`,
    "/etc/karmada/etcd-backup/pki/ca.crt",
  ]);
  expect(inputs).toMatchObject({
    program: "node",
    unitSettings: { MemoryDenyWriteExecute: ["no"] },
    writes: [{ path: "/backup", own: ["prod"] }],
  });
  expect(dependsOn).toEqual(["test-host1-programs", "test-preflight"]);
  expect(sent.programs).toMatchObject({ etcdutl: "d".repeat(64), node: expect.stringMatching(/^[0-9a-f]{64}$/) });
});

test("all programs of a host go to it as one, and what is asked for after that by itself", async () => {
  const late = hostsPlacement(settings([{}, {}, {}], { name: "late" }));
  const program = (name: string) => late.executable({ name, version: "3.6.6" }, { ...etcd, name: "etcd-0" });
  for (const name of ["etcd", "etcdutl", "etcd"]) program(name);
  await settled();
  for (const name of ["etcdctl", "etcd"]) program(name);
  await settled();
  const names = registered.map(({ name }) => name).filter((name) => name.startsWith("late-host1"));
  expect(names).toEqual(["late-host1-programs", "late-host1-programs-etcdctl"]);
  expect(found("late-host1-programs").inputs).toMatchObject({
    programs: { etcd: "d".repeat(64), etcdutl: "d".repeat(64) },
    sources: { etcd: "/store/etcd", etcdutl: "/store/etcdutl" },
  });
  expect(found("late-host1-programs-etcdctl").inputs["sources"]).toEqual({ etcdctl: "/store/etcdctl" });
});

test("hosts that download programs are asked whether they come to the mirror, and are told of it", async () => {
  const mirror = { url: "https://mirror.example.org/karmada" };
  const mirrored = hostsPlacement(settings([{}, {}, {}], { name: "mirrored", mirror }));
  mirrored.prepare(etcd, { "pki/ca.crt": "CA" }, {});
  await settled();
  expect(found("mirrored-host2-programs").inputs["mirror"]).toEqual(mirror);
  const wanted = unsealed(found("mirrored-preflight").inputs["hosts"] as object) as Record<string, object>;
  expect(Object.values(wanted)).toEqual([1, 2, 3].map(() => expect.objectContaining({ mirror })));
  expect(found("test-host2-programs").inputs).not.toHaveProperty("mirror");
});

test("hooks are commands of pulumi, scripts and secrets on their standard input alone, one after another", async () => {
  const migrate = { when: "before", phase: "control-plane", run: "echo $TOKEN" };
  const through = [{ address: "10.0.0.1", hostKey: `jump ${hostKey}` }];
  const hooked = hostsPlacement(
    settings([{}, { ssh: { hostKey, user: "ops", through } }, {}], {
      name: "hooked",
      hooks: [
        { ...migrate, name: "first", hosts: ["host2"], environment: { TOKEN: "it's s3cret" }, undo: "rm x" },
        { ...migrate, name: "second", run: "true" },
        { ...migrate, name: "other", when: "after" },
      ],
    }),
  );
  const parent = new pulumi.ComponentResource("test:index:Stack", "hooked", {});
  const made = hooked.hooks?.({ when: "before", phase: "control-plane" }, { parent, dependsOn: [] });
  expect(made).toHaveLength(4);
  await settled();

  const { type, inputs, dependsOn } = found("hooked-hook-first-host2");
  expect(type).toBe("command:remote:Command");
  expect(inputs).toMatchObject({
    create: "sudo -n sh -s run",
    delete: "sudo -n sh -s undo",
    logging: "none",
  });
  expect(unsealed(inputs["connection"])).toMatchObject({
    ...{ host: "10.0.0.12", user: "ops", hostKey, privateKey: "k3y" },
    proxy: { host: "10.0.0.1", hostKey },
  });
  expect(JSON.stringify({ ...inputs, stdin: "" })).not.toContain("s3cret");
  const stdin = unsealed(inputs["stdin"]) as unknown as string;
  const script = `${stdin}\n`;
  expect(execFileSync("sh", ["-s", "run"], { input: script, encoding: "utf8" })).toBe("it's s3cret\n");
  expect(script).toContain("export KARMADA_HOST='host2'");
  expect(dependsOn).toEqual(["hooked-preflight"]);
  const second = found("hooked-hook-second-host1");
  expect(second.inputs).toMatchObject({ create: "sh -s run" });
  expect(second.inputs["delete"]).toBeUndefined();
  expect(second.dependsOn).toEqual(["hooked-hook-first-host2", "hooked-preflight"]);
});

test("single components are where they are wanted, and what serves a member is always on the same one of its hosts", () => {
  const moved = settings([{}, {}, { controlPlane: false, etcd: "none" }, { controlPlane: false, etcd: "etcd-2" }], {
    name: "moved",
    components: {
      "karmada-scheduler": ["host3"],
      "karmada-search": ["host4", "host1"],
      "karmada-agent": ["host2", "host3"],
      "etcd-backup": ["host4"],
    },
  });
  const placed = hostsPlacement(moved);
  const at = (process: string) => placed.host(process).slice(-1);
  expect(["karmada-webhook-1", "karmada-scheduler", "karmada-search", "karmada-search-1"].map(at)).toEqual([
    "2",
    "3",
    "4",
    "1",
  ]);
  expect(["etcd-backup", "etcd-2"].map(at)).toEqual(["4", "4"]);
  const agents = Array.from({ length: 12 }, (_, i) => at(`member${i}-karmada-agent`));
  expect(new Set(agents)).toEqual(new Set(["2", "3"]));
  expect(() => at("karmada-scheduler-1")).toThrow("karmada-scheduler-1: no host is meant for it");
});

test("a host has to resolve the names of what its programs come to elsewhere, one with a member of etcd alone does not", async () => {
  hostsPlacement(
    settings([{}, {}, { controlPlane: false }], {
      name: "named",
      loadBalancer: { kind: "external", endpoint: "https://karmada.example.org:443" },
    }),
  );
  hostsPlacement(
    settings([{}, {}, {}], { name: "numbered", loadBalancer: { kind: "external", endpoint: "https://10.0.0.9:443" } }),
  );
  await settled();
  const names = (deployment: string) =>
    Object.values(
      unsealed(found(`${deployment}-preflight`).inputs["hosts"]) as Record<string, { names?: string[] }>,
    ).map((host) => host.names);
  expect(names("named")).toEqual([["karmada.example.org"], ["karmada.example.org"], undefined]);
  expect(names("numbered")).toEqual([undefined, undefined, undefined]);
});

test("the ports of estimators for members of teams are looked at too, where those have made an account for one", async () => {
  const served = (name: string, enabled: boolean) => {
    const deployment = settings([{}, {}, {}], { name });
    const estimators = { ...deployment.controlPlane["karmada-scheduler-estimator"], enabled };
    return {
      ...deployment,
      controlPlane: { ...deployment.controlPlane, "karmada-scheduler-estimator": estimators },
      teamMembers: [{ name: "maps", estimator: pulumi.output("kubeconfig") }, { name: "unasked" }],
    };
  };
  const placement = hostsPlacement(served("served", true));
  hostsPlacement(served("unserved", false));
  await settled();
  const wanted = (deployment: string) => {
    const hosts = Object.values(unsealed(found(`${deployment}-preflight`).inputs["hosts"]) as Record<string, Wanted>);
    return hosts.flatMap(({ address, ports, reached }) =>
      Object.entries(ports)
        .filter(([what]) => what.includes("estimator"))
        .map(([what, port]) => [what, address.address, port, reached.includes(port)]),
    );
  };
  const name = "maps-karmada-scheduler-estimator";
  const at = (port: string) => [placement.host(name), placement.port(name, port)];
  expect(wanted("served")).toEqual([
    [`${name} grpc`, ...at("grpc"), true],
    [`${name} health`, ...at("health"), false],
    [`${name} metrics`, ...at("metrics"), false],
  ]);
  expect(wanted("unserved")).toEqual([]);
});

test("a member of a team takes no port number from a program of the stack", async () => {
  const estimator = (member: string) => `${member}-karmada-scheduler-estimator`;
  const number = (member: string) => new HostsPorts().number(estimator(member), "grpc");
  const deployment = settings([{}, {}, {}], { name: "contended" });
  const estimators = { ...deployment.controlPlane["karmada-scheduler-estimator"], enabled: true };
  const members = [{ name: "maps", syncMode: "Push" }] as unknown as WholeDeployment["members"];
  const contending = Array.from({ length: 30_000 }, (_, i) => `team${i}`).filter(
    (name) => number(name) === number("maps"),
  );
  const contended = hostsPlacement({
    ...deployment,
    controlPlane: { ...deployment.controlPlane, "karmada-scheduler-estimator": estimators },
    members,
    teamMembers: contending.map((name) => ({ name, estimator: pulumi.output("kubeconfig") })),
  });
  const hosts = new Set(contending.map((name) => contended.host(estimator(name))));
  expect(hosts).toContain("10.0.0.11");
  expect(contended.host(estimator("maps"))).toBe("10.0.0.13");
  expect(contended.port(estimator("maps"), "grpc")).toBe(number("maps"));
  await settled();
});

interface Wanted {
  readonly address: { readonly address: string };
  readonly ports: Readonly<Record<string, number>>;
  readonly reached: readonly number[];
}
