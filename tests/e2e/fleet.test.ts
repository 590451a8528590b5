/** Members through the years: new credentials, policies beside them, and one that leaves. */
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import http from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasSshd, startSshd } from "../plugins/command/sshd.ts";
import { startCluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { Programs } from "../support/running.ts";
import { manifests, shops } from "./support/addons.ts";
import { established, eventually, kubectlFor, type Json, type Kubectl, readyOf } from "./support/kubectl.ts";
import { TestStack } from "./support/stack.ts";

interface Outputs {
  kubeconfig: string;
  simulatedKubeconfigs: Record<string, string>;
  members: { name: string; ready: boolean; credentialSince: string }[];
}

const basePort = 28600;
const simulated = (name: string, more: object = {}) => ({ name, credentials: { kind: "simulated" }, ...more });
const configMaps = { apiVersion: "v1", kind: "ConfigMap", name: "shared" };

let stack: TestStack;
let kubectl: Kubectl;
let removeKubeconfig: () => Promise<void>;

beforeAll(async () => {
  stack = await TestStack.create(
    {
      etcd: { kind: "managed", members: 1 },
      controlPlane: { "karmada-scheduler-estimator": { enabled: true } },
      members: [simulated("paris"), simulated("oslo", { syncMode: "Pull" })],
      policies: [
        {
          kind: "PropagationPolicy",
          name: "shared",
          resourceSelectors: [configMaps],
          placement: { clusterAffinity: { clusterNames: ["paris", "oslo"] } },
          spec: { priority: 3 },
        },
        {
          kind: "OverridePolicy",
          name: "shared",
          resourceSelectors: [configMaps],
          overrideRules: [
            {
              targetCluster: { clusterNames: ["oslo"] },
              overriders: { labelsOverrider: [{ operator: "add", value: { where: "oslo" } }] },
            },
          ],
        },
        { kind: "FederatedResourceQuota", name: "all", overall: { cpu: "10" } },
      ],
    },
    basePort,
  );
  await stack.up();
  ({ kubectl, remove: removeKubeconfig } = await kubectlFor((await stack.outputs<Outputs>()).kubeconfig));
}, 300_000);

afterAll(async () => {
  await removeKubeconfig?.();
  await stack?.remove();
}, 180_000);

const pidOf = async (name: string) =>
  (await stack.processes()).find(({ command }) => command.includes(`/${name}/`) && command.includes("karmada-"))?.pid;

const shared = async () => {
  const { spec } = await kubectl.get("resourcebindings.work.karmada.io", "shared-configmap");
  return (spec.clusters as { name: string }[]).map(({ name }) => name).sort();
};

test("policies of the stack file are there as declared, work, and are no difference afterwards", async () => {
  await kubectl(["create", "configmap", "shared", "--from-literal=a=1"]);
  await eventually(shared, (names) => names.join() === "oslo,paris");
  expect((await kubectl.get("propagationpolicies", "shared")).spec).toMatchObject({ priority: 3 });
  const works = await eventually(
    () => kubectl.get("works", "-A"),
    ({ items }) => JSON.stringify(items).includes('"where":"oslo"'),
  );
  const inOslo = works.items.filter((work: Json) => JSON.stringify(work.spec).includes('"where":"oslo"'));
  expect(inOslo.map(({ metadata }: Json) => metadata.namespace)).toEqual(["karmada-es-oslo"]);
  await stack.up("--expect-no-changes");
  await stack.refresh("--expect-no-changes");
}, 300_000);

test("what goes through the Karmada API into a member takes the proxy that is declared for it, its agent does not", async () => {
  const asked: string[] = [];
  const proxy = http.createServer().on("connect", ({ url = "" }, socket, head) => {
    asked.push(url);
    const [host, port] = url.split(":");
    const through = connect({ host: host!, port: Number(port) }, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      through.write(head);
      through.pipe(socket).pipe(through);
    });
    for (const each of [through, socket]) each.on("error", () => [through, socket].forEach((one) => one.destroy()));
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const before = stack.config["members"];
  const throughPlane = () =>
    kubectl(["get", "--raw", "/apis/cluster.karmada.io/v1alpha1/clusters/oslo/proxy/api/v1/namespaces/kube-system"]);
  try {
    stack.config["members"] = [simulated("paris"), simulated("oslo", { syncMode: "Pull", proxy: url })];
    await stack.up();
    await stack.up("--expect-no-changes");
    expect((await kubectl.get("clusters", "oslo")).spec.proxyURL).toBe(url);
    expect(JSON.parse(await throughPlane()).metadata.name).toBe("kube-system");
    expect(asked.length).toBeGreaterThan(0);

    proxy.close();
    proxy.closeAllConnections();
    await expect(throughPlane()).rejects.toThrow(/refused|proxy/);
    expect(readyOf(await kubectl.get("clusters", "oslo"))).toBe("True");
    await kubectl(["patch", "clusters", "oslo", "--type=merge", '--patch={"spec":{"proxyURL":"http://127.0.0.1:1"}}']);
    await stack.refresh();
    await stack.up();
    expect((await kubectl.get("clusters", "oslo")).spec.proxyURL).toBe(url);
  } finally {
    stack.config["members"] = before;
    proxy.close();
  }
  await stack.up();
  expect((await kubectl.get("clusters", "oslo")).spec.proxyURL).toBeUndefined();
  expect(JSON.parse(await throughPlane()).metadata.name).toBe("kube-system");
}, 300_000);

test("Karmada approves what agents ask for themselves, and nothing that is asked for by a token, which may name any agent", async () => {
  // What karmada-controller-manager asks before it approves.
  const mayAsk = async (subresource: string, user: string, group: string) => {
    const review = await kubectl(
      ["create", "-f", "-", "-o", "jsonpath={.status.allowed}"],
      JSON.stringify({
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        spec: {
          user,
          groups: [group, "system:authenticated"],
          resourceAttributes: {
            ...{ group: "certificates.k8s.io", version: "*", resource: "certificatesigningrequests" },
            ...{ subresource, verb: "create" },
          },
        },
      }),
    );
    return review === "true";
  };
  const byToken = ["system:bootstrap:abcdef", "system:bootstrappers:karmada:default-cluster-token"] as const;
  const byAgent = ["system:karmada:agent:oslo", "system:karmada:agents"] as const;
  expect({
    "a token, to ask": await mayAsk("", ...byToken),
    "a token, for an agent": await mayAsk("clusteragent", ...byToken),
    "an agent, for another": await mayAsk("clusteragent", ...byAgent),
    "an agent, for itself": await mayAsk("selfclusteragent", ...byAgent),
  }).toEqual({
    "a token, to ask": true,
    "a token, for an agent": false,
    "an agent, for another": false,
    "an agent, for itself": true,
  });
});

test("policies of templates, interpreters and what is scheduled once do what they say", async () => {
  const before = stack.config["policies"];
  const customization = (script: string) => ({
    kind: "ResourceInterpreterCustomization",
    name: "games",
    target: { apiVersion: "games.example.org/v1", kind: "Game" },
    customizations: { healthInterpretation: { luaScript: script } },
  });
  const rebalancer = {
    kind: "WorkloadRebalancer",
    name: "again",
    ttlSecondsAfterFinished: 1,
    workloads: [{ ...configMaps, namespace: "default" }],
  };
  const made = { template: "one", parameters: { name: "games", members: ["paris"] } };
  stack.config["policyTemplates"] = [
    {
      name: "one",
      parameters: [{ name: "name" }, { name: "members", type: "list" }, { name: "by", default: "default-scheduler" }],
      body: {
        kind: "PropagationPolicy",
        name: "$(name)",
        resourceSelectors: [{ ...configMaps, name: "$(name)" }],
        placement: { clusterAffinity: { clusterNames: "$(members)" } },
        schedulerName: "$(by)",
      },
    },
  ];
  stack.config["policies"] = [
    ...(before as object[]),
    customization("function InterpretHealth(o return true end"),
    made,
  ];
  const refused = await stack.preview();
  expect([refused.exitCode === 0, refused.text]).toEqual([false, expect.stringContaining("Lua script error")]);
  expect((await kubectl.get("propagationpolicies")).items).toHaveLength(1);

  const good = [customization("function InterpretHealth(o) return true end"), made];
  stack.config["policies"] = [...(before as object[]), ...good, rebalancer];
  await stack.up();
  const binding = () => kubectl.get("resourcebindings.work.karmada.io", "shared-configmap");
  const { rescheduleTriggeredAt } = (await binding()).spec;
  expect(rescheduleTriggeredAt).toMatch(/^20/);
  await eventually(binding, ({ spec, status }) => status.lastScheduledTime >= spec.rescheduleTriggeredAt);
  expect((await kubectl.get("resourceinterpretercustomizations", "games")).spec.target.kind).toBe("Game");
  await eventually(
    () => kubectl.get("workloadrebalancers"),
    ({ items }) => items.length === 0,
  );
  await stack.up("--expect-no-changes");
  await stack.refresh("--expect-no-changes");
  await stack.up("--expect-no-changes");
  expect((await binding()).spec.rescheduleTriggeredAt).toBe(rescheduleTriggeredAt);

  const others = (policy: object) => [
    ...(before as object[]),
    good[0],
    { ...made, ...policy, parameters: { ...made.parameters, by: "by-price" } },
    { ...rebalancer, trigger: "once more" },
  ];
  stack.config["policies"] = others({});
  const denied = await stack.preview();
  expect([denied.exitCode === 0, denied.text]).toEqual([
    false,
    expect.stringContaining("the schedulerName should not be updated"),
  ]);
  stack.config["policies"] = others({ name: "games-by-price" });
  await stack.up();
  expect((await kubectl.get("propagationpolicies", "games-by-price")).spec.schedulerName).toBe("by-price");
  expect((await kubectl.get("propagationpolicies")).items).toHaveLength(2);
  expect((await binding()).spec.rescheduleTriggeredAt).not.toBe(rescheduleTriggeredAt);
  await stack.up("--expect-no-changes");
  stack.config["policies"] = before;
  await stack.up();
  expect((await kubectl.get("resourceinterpretercustomizations")).items).toEqual([]);
}, 300_000);

test("a kind that members do not serve is warned of by name in the preview, until it is brought there", async () => {
  const before = stack.config["policies"];
  const files = await manifests();
  const [definition] = shops;
  const { simulatedKubeconfigs } = await stack.outputs<Outputs>();
  const paris = await kubectlFor(simulatedKubeconfigs["paris"]!);
  const warnings = async () => {
    const { text } = await stack.preview();
    const told = text.matchAll(/([\w, ]+: \S+ \w+), which PropagationPolicy default\/shops places there/g);
    return [...told].map(([, what]) => what!.trim());
  };
  const missing = "example.org/v1 Shop";
  try {
    const shop = { apiVersion: "example.org/v1", kind: "Shop" };
    const scaler = { apiVersion: "autoscaling/v2beta2", kind: "HorizontalPodAutoscaler" };
    const policy = { kind: "PropagationPolicy", name: "shops", resourceSelectors: [shop, scaler] };
    stack.config["policies"] = [...(before as object[]), policy];
    const removed = `oslo, paris: ${scaler.apiVersion} ${scaler.kind}`;
    expect(await warnings()).toEqual([`oslo, paris: ${missing}`, removed]);
    await paris.kubectl(["create", "-f", "-"], JSON.stringify(definition));
    await established(paris.kubectl, "crd/shops.example.org");
    expect(await warnings()).toEqual([`oslo: ${missing}`, removed]);
    await files.write("definition", [definition!]);
    stack.config["addons"] = [files.addon("definition", { kind: "members", members: ["oslo"] })];
    expect(await warnings()).toEqual([removed]);
  } finally {
    stack.config["policies"] = before;
    delete stack.config["addons"];
    await paris.kubectl(["delete", "crd", "shops.example.org", "--ignore-not-found"]);
    await paris.remove();
    await files.remove();
  }
}, 180_000);

test("a scheduler of one's own places what names it, which Karmada's own leaves alone", async () => {
  const before = { policies: stack.config["policies"], controlPlane: stack.config["controlPlane"] };
  const own = new Programs(mkdtempSync(join(tmpdir(), "by-price-")));
  const priced = {
    kind: "PropagationPolicy",
    name: "priced",
    resourceSelectors: [{ ...configMaps, name: "priced" }],
    placement: { clusterAffinity: { clusterNames: ["paris"] } },
    schedulerName: "by-price",
  };
  try {
    stack.config["policies"] = [...(before.policies as object[]), priced];
    const unknown = 'got "by-price", which is none of default-scheduler';
    expect((await stack.preview()).text).toContain(unknown);
    stack.config["controlPlane"] = { ...(before.controlPlane as object), schedulers: ["by-price"] };
    expect((await stack.up()).text).not.toContain(unknown);
    await kubectl(["create", "configmap", "priced", "--from-literal=a=1"]);
    const binding = () => kubectl.get("resourcebindings.work.karmada.io", "priced-configmap");
    await eventually(binding, ({ spec }) => spec.schedulerName === "by-price");
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect((await binding()).spec.clusters).toBeUndefined();

    const { kubeconfig } = await stack.outputs<Outputs>();
    await own.start("karmada-scheduler", {
      kubeconfig: own.write("kubeconfig", kubeconfig),
      "scheduler-name": "by-price",
      "leader-elect-resource-name": "by-price",
      "enable-scheduler-estimator": false,
      "metrics-bind-address": `127.0.0.1:${basePort + 80}`,
      "health-probe-bind-address": `127.0.0.1:${basePort + 81}`,
    });
    const placed = await eventually(binding, ({ spec }) => spec.clusters?.length === 1);
    expect(placed.spec.clusters).toEqual([{ name: "paris" }]);
  } finally {
    stack.config = { ...stack.config, ...before };
    await own.remove();
  }
  await kubectl(["delete", "configmap", "priced"]);
  await stack.up();
  await stack.up("--expect-no-changes");
}, 300_000);

test("a template of this stack is picked from in another one, once it offers it", async () => {
  const picking = async (...from: string[]) => {
    const config = {
      placement: { kind: "local", directory: `${stack.directory}-other`, basePort: basePort - 1200 },
      members: [simulated("rome")],
      policyTemplatesFrom: from,
      policies: [{ template: "one", parameters: { name: "shop", members: ["rome"] } }],
    };
    other.config = config;
    return other.preview();
  };
  const other = await stack.beside("other", {});
  const picked = await picking("test");
  expect([picked.exitCode, picked.text]).toEqual([0, expect.stringContaining("PropagationPolicy/default/shop")]);
  expect((await picking("other")).text).toContain(
    "policyTemplatesFrom[0]: the stack organization/karmada/other offers no templates",
  );
  const unknown = await picking("nobody");
  expect([unknown.exitCode === 0, unknown.text]).toEqual([
    false,
    expect.stringContaining("organization/karmada/nobody"),
  ]);
}, 120_000);

test("a word gives every member new credentials, and whoever had read the old ones starts again", async () => {
  const before = await stack.outputs<Outputs>();
  const programs = ["karmada-controller-manager", "oslo-karmada-agent", "paris-karmada-scheduler-estimator"];
  const pids = await Promise.all(programs.map(pidOf));
  expect(pids).not.toContain(undefined);
  stack.config["members"] = [
    simulated("paris", { rotate: "2026-11" }),
    simulated("oslo", { rotate: "2026-11", syncMode: "Pull" }),
  ];
  const preview = await stack.preview();
  expect(preview.text).toContain("rotate is 2026-11, was not set");
  const begin = performance.now();
  await stack.up();
  console.log(`two members have new credentials after ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  const after = await stack.outputs<Outputs>();
  expect(after.members.map(({ ready }) => ready)).toEqual([true, true]);
  after.members.forEach(({ credentialSince }, i) =>
    expect(Date.parse(credentialSince)).toBeGreaterThan(Date.parse(before.members[i]!.credentialSince)),
  );
  const now = await Promise.all(programs.map(pidOf));
  now.forEach((pid, i) => expect([programs[i], pid]).not.toEqual([programs[i], pids[i]]));
  const { items } = await kubectl.get("clusters");
  expect(items.map(readyOf)).toEqual(["True", "True"]);
  await stack.up("--expect-no-changes");
  await stack.refresh("--expect-no-changes");
}, 300_000);

(hasSshd() ? test : test.skip)(
  "a member by SSH is joined by the kubeconfig on its host, which is nowhere in clear",
  async () => {
    const programs = new Programs(mkdtempSync(join(tmpdir(), "berlin-")));
    const sshd = await startSshd(basePort + 63);
    const before = stack.config["members"] as object[];
    try {
      const etcd = await startEtcd(programs, basePort + 64);
      const berlin = await startCluster(programs, etcd, { name: "berlin", port: basePort + 70 });
      const path = programs.write("admin.conf", berlin.kubeconfig.replace("127.0.0.1", "localhost"));
      const { hostKey, privateKey, user } = sshd;
      const login = { kind: "ssh", address: "127.0.0.1", port: sshd.port, user, hostKey, path };
      const credentials = { ...login, privateKey: await stack.secret(privateKey) };
      stack.config["members"] = [...before, { name: "berlin", credentials }];
      await stack.up();
      const ready = async () => readyOf(await kubectl.get("clusters", "berlin"));
      expect([await ready(), (await kubectl.get("clusters", "berlin")).spec.apiEndpoint]).toEqual([
        "True",
        berlin.server,
      ]);
      const clientKey = /"client-key-data":"([^"]+)"/.exec(berlin.kubeconfig)![1]!;
      const secrets = [clientKey, ...privateKey.split("\n").slice(1, -2)];
      const state = await stack.successfully(["stack", "export"]);
      expect(secrets.filter((secret) => state.text.includes(secret))).toEqual([]);
      await stack.up("--expect-no-changes");

      // Renewed there, as distributions do from time to time.
      programs.write("admin.conf", await berlin.kubeconfigFor("another-administrator", "system:masters"));
      const refreshed = await stack.refresh();
      expect(refreshed.text).not.toContain(clientKey);
      const preview = await stack.preview();
      expect(preview.text).toContain(`the kubeconfig at ${path} of 127.0.0.1 is another one`);
      await stack.up();
      expect(await ready()).toBe("True");
      await stack.up("--expect-no-changes");
      await stack.refresh("--expect-no-changes");

      stack.config["members"] = before;
      await stack.up();
      expect((await kubectl.get("clusters")).items).toHaveLength(before.length);
      expect(await berlin.client.find("/api/v1/namespaces/karmada-cluster")).toBeUndefined();
    } finally {
      sshd.stop();
      await programs.remove();
    }
  },
  300_000,
);

test("a member may not leave while a policy of others names no other cluster, until that is allowed", async () => {
  const theirs = {
    apiVersion: "policy.karmada.io/v1alpha1",
    kind: "PropagationPolicy",
    metadata: { name: "theirs", namespace: "default" },
    spec: {
      resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", name: "theirs" }],
      placement: { clusterAffinity: { clusterNames: ["oslo"] } },
    },
  };
  await kubectl(["create", "-f", "-"], JSON.stringify(theirs));
  stack.config["members"] = [simulated("paris", { rotate: "2026-11" })];
  stack.config["policies"] = [];
  const sentence = "oslo cannot leave: PropagationPolicy default/theirs names no other cluster";
  for (const args of [["preview"], ["up", "--yes", "--skip-preview", "--continue-on-error"]]) {
    const run = await stack.pulumi(args);
    expect([run.exitCode === 0, run.text.includes(sentence)]).toEqual([false, true]);
  }
  expect((await kubectl.get("clusters")).items).toHaveLength(2);
  stack.config["membersMayLeave"] = ["oslo"];
  await stack.up();
  expect((await kubectl.get("clusters")).items.map(({ metadata }: Json) => metadata.name)).toEqual(["paris"]);
  expect((await kubectl.get("overridepolicies")).items).toEqual([]);
}, 300_000);
