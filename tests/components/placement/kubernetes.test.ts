import * as pulumi from "@pulumi/pulumi";
import { stringify } from "yaml";
import { deploymentOf } from "../support/deployment.ts";
import { settled, valueOf, withMocks } from "../support/mocks.ts";
import type { InPods } from "../../../components/placement/kubernetes.ts";
import type { Process } from "../../../components/process.ts";

const registered = await withMocks({});
const { kubernetesPlacement } = await import("../../../components/placement/kubernetes.ts");
const { bind, data, file, host, loopback, port, text } = await import("../../../components/process.ts");
const { planFleet } = await import("../../../components/fleet.ts");

const kubeconfig = stringify({
  "current-context": "host",
  contexts: [
    { name: "host", context: { cluster: "host", user: "admin" } },
    { name: "other", context: { cluster: "host", user: "admin" } },
  ],
  clusters: [{ name: "host", cluster: { server: "https://10.0.0.1:6443" } }],
  users: [
    { name: "admin", user: { token: "t0ken" } },
    { name: "elsewhere", user: { token: "s3cr3t" } },
  ],
});
const sealed = (deployment: unknown) => {
  const { placement, ...rest } = deployment as { placement: { credentials: { kubeconfig: string } } };
  const credentials = { ...placement.credentials, kubeconfig: pulumi.secret(placement.credentials.kubeconfig) };
  return { ...rest, placement: { ...placement, credentials } } as unknown as InPods;
};
const placement = await kubernetesPlacement(
  sealed(
    deploymentOf({
      placement: {
        kind: "kubernetes",
        credentials: { kind: "kubeconfig", kubeconfig, context: "other" },
        namespace: "fleet",
        clusterDomain: "example.org",
        images: { pinned: { "karmada-webhook": "registry.example.org/webhook:v9" } },
        exposure: { kind: "nodePort", addresses: ["10.0.0.11", "node.example.org"] },
        priorityClass: "high",
      },
    }),
  ),
);

const webhook: Process = {
  name: "karmada-webhook",
  component: "karmada-webhook",
  copies: 3,
  program: { name: "karmada-webhook", version: "1.18.2" },
  args: [
    text`--bind-address=${bind}:${port("secure")}`,
    text`--metrics=${loopback}:${port("metrics")}`,
    text`--advertise-address=${host()}`,
    text`--api=https://${host("karmada-apiserver")}:${port("secure", "karmada-apiserver")}`,
    text`--cert=${file("pki/tls.crt")}`,
    "--pattern=$(POD_IP) costs 5$$ or $HOME",
  ],
  limits: { memory: "1Gi", cpu: "500m" },
  ports: ["secure", "metrics"],
  callers: { secure: ["kube-apiserver"] },
  files: {
    "pki/tls.crt": { from: "certificate", certificate: "w" },
    "pki/tls.key": { from: "private-key", certificate: "w" },
  },
  rereads: ["pki/tls.key"],
  certificates: [],
  probe: { kind: "http", scheme: "https", port: "secure", path: "/readyz/" },
  startDeadline: "90s",
  stopDeadline: "10s",
};
const etcd: Process = {
  ...webhook,
  name: "etcd-1",
  component: "etcd",
  program: { name: "etcd", version: "3.6.6" },
  args: [text`--data=${data("x")}`],
  ports: ["client", "peer", "metrics"],
  callers: { peer: ["etcd"] },
  probe: { kind: "http", scheme: "http", port: "metrics", path: "/readyz" },
  alive: { path: "/livez", deadline: "880s" },
};
const only = { key: "only", operator: "Equal", value: "us" };
const gone = { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 30 };
const apart = await kubernetesPlacement(
  sealed(
    deploymentOf({
      name: "apart",
      placement: {
        kind: "kubernetes",
        credentials: { kind: "kubeconfig", kubeconfig },
        exposure: { kind: "nodePort", addresses: ["10.0.0.11"] },
        tolerations: [{ key: "only", value: "us" }, gone],
        antiAffinity: "required",
        storage: { hostPath: "/var/lib/karmada", size: "5Gi" },
        spreadOver: ["topology.kubernetes.io/zone", "kubernetes.io/hostname"],
        networkPolicies: { metricsFrom: ["monitoring"] },
      },
      controlPlane: { "karmada-search": { enabled: true, replicas: 3 }, "karmada-webhook": { replicas: 1 } },
    }),
  ),
);
const open = await kubernetesPlacement(
  sealed(
    deploymentOf({
      name: "open",
      placement: {
        kind: "kubernetes",
        credentials: { kind: "kubeconfig", kubeconfig },
        exposure: { kind: "nodePort", addresses: ["10.0.0.11"] },
        networkPolicies: { enabled: false },
      },
    }),
  ),
);
const split = await kubernetesPlacement(
  sealed(
    deploymentOf({
      name: "split",
      placement: {
        kind: "kubernetes",
        credentials: { kind: "kubeconfig", kubeconfig },
        exposure: { kind: "nodePort", addresses: ["10.0.0.11"] },
        antiAffinity: "required",
      },
      etcd: {
        kind: "managed",
        members: 1,
        overrides: [{ name: "oftenandbriefly", resources: ["/events"], members: 3 }],
      },
    }),
  ),
);
const contents = (key: string) => ({ "pki/tls.crt": "CERTIFICATE", "pki/tls.key": pulumi.secret(key) });

placement.place(webhook, contents("KEY"), {});
open.place(webhook, contents("KEY"), {});
const scheduler = {
  ...webhook,
  name: "karmada-scheduler",
  component: "karmada-scheduler",
  ports: ["metrics", "health"],
};
const { callers: _, ...uncalled } = scheduler;
placement.place({ ...uncalled, probe: { ...webhook.probe, port: "health" } as Process["probe"] }, contents("KEY"), {});
apart.place(webhook, contents("KEY"), {});
apart.place(
  { ...webhook, name: "karmada-search", component: "karmada-search", copies: 1, servingPath: "/livez?exclude=itself" },
  contents("KEY"),
  {},
);
const { agents, estimators } = planFleet(
  deploymentOf({
    controlPlane: { "karmada-scheduler-estimator": { enabled: true } },
    members: ["oslo", "7seas"].map((name) => ({ name, syncMode: "Pull", credentials: { kind: "simulated" } })),
  }),
);
const served = { "pki/ca.crt": "CA", "pki/server.crt": "CERT", "pki/server.key": "KEY", "karmada.config": "CONFIG" };
for (const process of [...agents.values(), ...estimators.values()])
  placement.place(process, { ...served, "member.config": "CONFIG" }, {});
const prepared = placement.prepare(etcd, contents("KEY"), {});
apart.prepare(etcd, contents("KEY"), {});
split.prepare({ ...etcd, name: "etcd-oftenandbriefly-1", group: "oftenandbriefly" }, contents("KEY"), {});
const revision = await valueOf(prepared.revision);
const again = placement.prepare({ ...etcd, name: "etcd-1" }, contents("ANOTHER KEY"), {});
const runtime = await valueOf(pulumi.output(placement.etcdRuntime()));
await settled();

// Objects as their API has them: whatever field is asked for.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
const found = (type: string, name: string): any =>
  registered.find((each) => each.type.endsWith(type) && each.name === name)?.inputs;

test("another address of the host cluster replaces nothing: its provider is known by a name that stays", () => {
  const named = registered.filter(({ inputs }) => "clusterIdentifier" in inputs);
  const providers = registered.filter(({ type }) => type === "pulumi:providers:kubernetes");
  expect(providers.map(({ name, inputs }) => [name, inputs.clusterIdentifier])).toEqual(
    providers.map(({ name }) => [name, name]),
  );
  expect(named.map(({ name, inputs }) => [name, inputs.clusterIdentifier])).toEqual(
    expect.arrayContaining([["apart-namespace", "apart-host-cluster"]]),
  );
});

test("processes are Services inside the cluster, and API servers and members of etcd ports of nodes outside", () => {
  expect(placement.host("karmada-webhook")).toBe("karmada-webhook.fleet.svc.example.org");
  expect(placement.nearest(["karmada-search"], "secure", [])).toEqual({
    host: "karmada-search.fleet.svc.example.org",
    port: placement.port("karmada-search", "secure"),
  });
  expect(placement.outside?.host("karmada-apiserver")).toBe("10.0.0.11");
  expect(placement.outside?.port("karmada-apiserver", "secure")).toBe(32443);
  expect(placement.outside?.port("etcd-2", "client")).toBe(32381);
  expect(() => placement.outside?.port("karmada-webhook", "secure")).toThrow(
    "karmada-webhook: it is not reached from outside the host cluster",
  );
  expect(placement.outerNames?.("karmada-apiserver")).toEqual(["10.0.0.11", "node.example.org"]);
  expect(placement.outerNames?.("karmada-webhook")).toEqual([]);
});

test("a program is a Deployment with its replicas, its image and its arguments resolved", () => {
  const { metadata, spec } = found(":Deployment", "test-karmada-webhook");
  expect(metadata).toMatchObject({ name: "karmada-webhook", namespace: "fleet" });
  expect(spec.replicas).toBe(3);
  const [container] = spec.template.spec.containers;
  expect(container).toMatchObject({
    image: "registry.example.org/webhook:v9",
    command: ["karmada-webhook"],
    args: [
      "--bind-address=0.0.0.0:8443",
      "--metrics=0.0.0.0:8444",
      "--advertise-address=$(POD_IP)",
      "--api=https://karmada-apiserver.fleet.svc.example.org:5443",
      "--cert=/etc/karmada/pki/tls.crt",
      // As Kubernetes has it to be for a text that is not to change.
      "--pattern=$$(POD_IP) costs 5$$$$ or $$HOME",
    ],
    resources: { limits: { memory: "1Gi", cpu: "500m" } },
  });
  expect(container.startupProbe).toEqual({
    httpGet: { port: 8443, path: "/readyz/", scheme: "HTTPS" },
    periodSeconds: 1,
    timeoutSeconds: 5,
    failureThreshold: 90,
  });
});

test("a pod whose probe succeeds only once others come to it is asked for what it has before: a Service leads to those that are ready", () => {
  const [container] = found(":Deployment", "apart-karmada-search").spec.template.spec.containers;
  for (const probe of [container.startupProbe, container.readinessProbe])
    expect(probe.httpGet.path).toBe("/livez?exclude=itself");
});

test("a pod that may serve only much later is restarted until it lives, and led to once it serves", () => {
  const [container] = JSON.parse(found(":ConfigMap", "test-etcd-1").data.member).template.spec.containers;
  const asks = ({ httpGet, failureThreshold }: Record<string, { path: string }>) => [httpGet?.path, failureThreshold];
  expect(asks(container.startupProbe)).toEqual(["/livez", 880]);
  expect(asks(container.readinessProbe)).toEqual(["/readyz", 3]);
});

test("a pod is nobody in particular", () => {
  const { spec } = found(":Deployment", "test-karmada-webhook").spec.template;
  expect(spec).toMatchObject({
    automountServiceAccountToken: false,
    priorityClassName: "high",
    securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: "RuntimeDefault" } },
  });
  expect(spec.containers[0].securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
});

test("what others come to by a Service serves on before it is told to end, as long as nodes lead them there", () => {
  const specOf = (name: string) => found(":Deployment", name).spec.template.spec;
  const { terminationGracePeriodSeconds, containers } = specOf("test-karmada-webhook");
  expect(containers[0].lifecycle).toEqual({ preStop: { sleep: { seconds: 4 } } });
  expect(terminationGracePeriodSeconds).toBe(4 + 10);
  const member = JSON.parse(found(":ConfigMap", "test-etcd-1").data.member).template.spec;
  for (const spec of [specOf("test-karmada-scheduler"), member]) {
    expect(spec.containers[0]).not.toHaveProperty("lifecycle");
    expect(spec.terminationGracePeriodSeconds).toBe(10);
  }
});

test("its files are a Secret, what others come to is a Service, and of three one may be evicted", () => {
  expect(found(":Secret", "test-karmada-webhook-files").metadata.name).toBe("karmada-webhook");
  expect(found(":Service", "test-karmada-webhook").spec).toMatchObject({
    type: "ClusterIP",
    ports: [{ name: "secure", port: 8443, targetPort: 8443 }],
  });
  expect(found(":PodDisruptionBudget", "test-karmada-webhook").spec.maxUnavailable).toBe(1);
});

test("a member of etcd is written down with its volume, and changes with nothing that it reads again by itself", async () => {
  const { data: written } = found(":ConfigMap", "test-etcd-1");
  expect(written.revision).toBe(revision);
  expect(await valueOf(again.revision)).toBe(revision);
  const { template, claim } = JSON.parse(written.member);
  expect(claim).toEqual({ accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "10Gi" } } });
  expect(template.spec.containers[0]).toMatchObject({
    image: "quay.io/coreos/etcd:v3.6.6",
    args: ["--data=/var/lib/etcd/x"],
    ports: expect.arrayContaining([{ name: "etcd-1", containerPort: 2379 }]),
  });
  expect(runtime).toMatchObject({ kind: "kubernetes", namespace: "fleet" });
});

test("data in a directory of the nodes ask for no storage class, and keep apart as members do", () => {
  const { claim, hostPath } = JSON.parse(found(":ConfigMap", "apart-etcd-1").data.member);
  expect(hostPath).toEqual({ path: "/var/lib/karmada", alone: true });
  expect(claim).toEqual({ accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "5Gi" } } });
  const needs = found(":OwnedNamespace", "apart-namespace");
  expect([needs.hostPath, needs.storageClass, needs.databases]).toEqual([true, undefined, undefined]);
});

test("a member's name stands for its pod before it is ready, and this program comes to it by a port of the nodes", () => {
  expect(found(":Service", "test-etcd-1").spec).toMatchObject({
    clusterIP: "None",
    publishNotReadyAddresses: true,
    ports: [
      { name: "client", port: 2379 },
      { name: "peer", port: 2380 },
    ],
  });
  expect(found(":Service", "test-etcd-1-outside").spec).toMatchObject({
    type: "NodePort",
    ports: [{ name: "client", port: 2379, nodePort: 32380 }],
  });
});

test("the namespace is looked at with the declared context, before anything is put there", () => {
  const inputs = found(":OwnedNamespace", "test-namespace");
  expect(inputs).toMatchObject({
    namespace: "fleet",
    deployment: "test",
    storageClass: "",
    databases: { "etcd-0": 8 * 2 ** 30, "etcd-1": 8 * 2 ** 30, "etcd-2": 8 * 2 ** 30 },
    nodePorts: { "karmada-apiserver": [32443], "etcd-0-outside": [32379], "etcd-2-outside": [32381] },
  });
  expect(JSON.stringify(inputs.kubeconfig)).toContain("current-context: other");
  expect(JSON.stringify(inputs.kubeconfig)).not.toContain("s3cr3t");
});

/** Of pods that have a node to themselves. */
const alone = { "karmada-pulumi/alone": "true" };

test("pods keep away from nodes and zones that have one of their kind, and share no node where that is required", () => {
  const affinityOf = (name: string) => found(":Deployment", name).spec.template.spec.affinity.podAntiAffinity;
  const exchangeOf = (name: string) => found(":Deployment", name).spec.strategy.rollingUpdate;
  const labelsOf = (name: string) => found(":Deployment", name).spec.template.metadata.labels;
  const term = (component: string, topologyKey = "kubernetes.io/hostname") => ({
    topologyKey,
    labelSelector: { matchLabels: { "app.kubernetes.io/name": component } },
  });
  const preferredDuringSchedulingIgnoredDuringExecution = [
    { weight: 100, podAffinityTerm: term("karmada-webhook") },
    { weight: 50, podAffinityTerm: term("karmada-webhook", "topology.kubernetes.io/zone") },
  ];
  expect(affinityOf("test-karmada-webhook")).toEqual({ preferredDuringSchedulingIgnoredDuringExecution });
  expect(exchangeOf("test-karmada-webhook")).toEqual({ maxSurge: 1, maxUnavailable: 0 });
  expect(affinityOf("apart-karmada-webhook")).toEqual({
    requiredDuringSchedulingIgnoredDuringExecution: [
      {
        topologyKey: "kubernetes.io/hostname",
        labelSelector: { matchLabels: { "app.kubernetes.io/name": "karmada-webhook", ...alone } },
      },
    ],
    preferredDuringSchedulingIgnoredDuringExecution,
  });
  // Kubernetes holds pods that come later to it too: those that may share a node are none that it speaks of.
  expect(labelsOf("apart-karmada-webhook")).toMatchObject(alone);
  expect(labelsOf("test-karmada-webhook")).not.toMatchObject(alone);
  // A new pod could have no node before an old one is gone.
  expect(exchangeOf("apart-karmada-webhook")).toEqual({ maxSurge: 0, maxUnavailable: 1 });
  // The only one of its kind has to share with the one that takes its place.
  expect(affinityOf("apart-karmada-search")).not.toHaveProperty("requiredDuringSchedulingIgnoredDuringExecution");
});

test("members of an etcd for some kinds of objects are a kind of their own: they keep from each other, and not from those of the first one", () => {
  const kind = { "app.kubernetes.io/name": "etcd", "karmada-pulumi/group": "oftenandbriefly" };
  const { template } = JSON.parse(found(":ConfigMap", "split-etcd-oftenandbriefly-1").data.member);
  expect(template.metadata.labels).toMatchObject({ ...kind, ...alone });
  expect(template.spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution).toEqual([
    { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { ...kind, ...alone } } },
  ]);
  // A name of a port has 15 characters at most.
  expect(template.spec.containers[0].ports[0]).toEqual({ name: "etcd-events-1", containerPort: 2379 });
  expect(found(":PodDisruptionBudget", "split-etcd-oftenandbriefly").spec).toEqual({
    maxUnavailable: 1,
    selector: { matchLabels: kind },
  });
  expect(found(":PodDisruptionBudget", "split-etcd")).toBeUndefined();
  expect(found(":PodDisruptionBudget", "apart-etcd").spec.selector).toEqual({
    matchLabels: { "app.kubernetes.io/name": "etcd" },
  });
  expect(found(":Service", "split-etcd-oftenandbriefly-1-outside").spec).toMatchObject({
    selector: { "karmada-pulumi/member": "etcd-oftenandbriefly-1" },
    ports: [{ name: "client", port: 2379, nodePort: 32390 }],
  });
  expect(found(":NetworkPolicy", "split-etcd-oftenandbriefly-1").spec.ingress[0]).toEqual({
    ports: [{ protocol: "TCP", port: 2379 }],
  });
  expect(found(":OwnedNamespace", "split-namespace").pods.apart).toMatchObject({ etcd: 1, "etcd-oftenandbriefly": 3 });
});

test("each is waited for until so many pods are of the newest revision, and no others", () => {
  const waitedFor = (name: string) => JSON.parse(found(":Deployment", name).metadata.annotations["pulumi.com/waitFor"]);
  const counts = (count: number) =>
    ["updatedReplicas", "replicas", "availableReplicas"].map((each) => `jsonpath={.status.${each}}=${count}`);
  expect(waitedFor("test-karmada-webhook")).toEqual(counts(3));
  expect(waitedFor("apart-karmada-search")).toEqual(counts(1));
});

test("replicas of one revision, and members of etcd, are spread over the labels that are declared", () => {
  const constraint = (topologyKey: string, component: string) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels: { "app.kubernetes.io/name": component } },
  });
  const specOf = (name: string) => found(":Deployment", name).spec.template.spec;
  expect(specOf("apart-karmada-webhook").topologySpreadConstraints).toEqual(
    ["topology.kubernetes.io/zone", "kubernetes.io/hostname"].map((key) => ({
      ...constraint(key, "karmada-webhook"),
      matchLabelKeys: ["pod-template-hash"],
    })),
  );
  expect(specOf("apart-karmada-search")).not.toHaveProperty("topologySpreadConstraints");
  const { template } = JSON.parse(found(":ConfigMap", "test-etcd-1").data.member);
  expect(template.spec.topologySpreadConstraints).toEqual([constraint("kubernetes.io/hostname", "etcd")]);
});

test("only its clients come to a program, and who collects metrics where that is declared", () => {
  const policyOf = (name: string) => found(":NetworkPolicy", name).spec;
  const tcp = (...ports: number[]) => ports.map((port) => ({ protocol: "TCP", port }));
  const pods = (component: string) => ({ podSelector: { matchLabels: { "app.kubernetes.io/name": component } } });
  const fromApiServer = { from: [pods("kube-apiserver")], ports: tcp(8443) };
  expect(policyOf("test-karmada-webhook")).toEqual({
    podSelector: { matchLabels: { "app.kubernetes.io/instance": "karmada-webhook" } },
    policyTypes: ["Ingress"],
    ingress: [fromApiServer],
  });
  const monitoring = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } };
  expect(policyOf("apart-karmada-webhook").ingress).toEqual([
    fromApiServer,
    { from: [monitoring], ports: tcp(8443, 8444) },
  ]);
  expect(policyOf("test-etcd-1").ingress).toEqual([{ ports: tcp(2379) }, { from: [pods("etcd")], ports: tcp(2380) }]);
  expect(found(":NetworkPolicy", "open-karmada-webhook")).toBeUndefined();
});

test("a program that nobody is a client of lets nobody in", () => {
  expect(found(":NetworkPolicy", "test-karmada-scheduler").spec).toEqual({
    podSelector: { matchLabels: { "app.kubernetes.io/instance": "karmada-scheduler" } },
    policyTypes: ["Ingress"],
  });
});

test("what serves a member is a pod with upstream's ports, and only the scheduler and descheduler come to an estimator", () => {
  const argsOf = (name: string) => found(":Deployment", name).spec.template.spec.containers[0].args;
  const estimator = "oslo-karmada-scheduler-estimator";
  expect(placement.host(estimator)).toBe(`${estimator}.fleet.svc.example.org`);
  expect(argsOf(`test-${estimator}`)).toEqual(
    expect.arrayContaining(["--kubeconfig=/etc/karmada/member.config", "--server-port=10352"]),
  );
  expect(found(":Service", `test-${estimator}`).spec).toMatchObject({
    type: "ClusterIP",
    ports: [{ name: "grpc", port: 10352, targetPort: 10352 }],
  });
  const from = ["karmada-scheduler", "karmada-descheduler"].map((component) => ({
    podSelector: { matchLabels: { "app.kubernetes.io/name": component } },
  }));
  expect(found(":NetworkPolicy", `test-${estimator}`).spec.ingress).toEqual([
    { from, ports: [{ protocol: "TCP", port: 10352 }] },
  ]);
  const agent = "test-oslo-karmada-agent";
  expect(found(":NetworkPolicy", agent).spec).not.toHaveProperty("ingress");
  expect(found(":Service", agent)).toBeUndefined();
});

test("an agent has ended before the next one starts, since it elects no leader", () => {
  expect(found(":Deployment", "test-oslo-karmada-agent").spec).toMatchObject({
    replicas: 1,
    strategy: { type: "Recreate" },
  });
});

test("a member whose name no Service may begin with has objects of a name made of it", () => {
  const name = "m-7seas-karmada-scheduler-estimator-eaa5b7c3";
  expect(placement.host("7seas-karmada-scheduler-estimator")).toBe(`${name}.fleet.svc.example.org`);
  const { metadata, spec } = found(":Deployment", "test-7seas-karmada-scheduler-estimator");
  expect(metadata.name).toBe(name);
  expect(spec.selector.matchLabels).toEqual({ "app.kubernetes.io/instance": name });
  expect(spec.template.spec.volumes[0].secret.secretName).toBe(name);
  expect(found(":Service", `test-${name}`).metadata.name).toBe(name);
});

test("the preview asks for the nodes that members of etcd and replicas want", () => {
  const { pods, oldest } = found(":OwnedNamespace", "apart-namespace");
  expect(oldest).toBe("1.30");
  expect(found(":Deployment", "apart-karmada-webhook").spec.template.spec.tolerations).toEqual([only, gone]);
  expect(pods).toMatchObject({
    tolerations: [only, gone],
    apart: { etcd: 3, "kube-apiserver": 2, "karmada-search": 3, "karmada-scheduler": 2 },
    required: true,
  });
  expect(Object.keys(pods.apart)).not.toContain("karmada-webhook");
  expect(Object.keys(pods.apart)).not.toContain("karmada-descheduler");
});

test("nodes log in to the registries as they are told, and what they log in with is secret", async () => {
  const login = JSON.stringify({ auths: { "registry.example.org": { auth: "bWU6cDRzcw==" } } });
  const deployment = deploymentOf({
    name: "private",
    placement: {
      kind: "kubernetes",
      credentials: { kind: "kubeconfig", kubeconfig },
      namespace: "private",
      images: { login },
      exposure: { kind: "nodePort", addresses: ["10.0.0.11"] },
    },
  }) as unknown as InPods;
  const { images } = deployment.placement;
  const asSecret = { ...deployment.placement, images: { ...images, login: pulumi.secret(login) } };
  const other = await kubernetesPlacement(sealed({ ...deployment, placement: asSecret }));
  other.place(webhook, { "pki/tls.crt": "CERT", "pki/tls.key": "KEY" }, {});
  await settled();
  const { inputs } = registered.find(({ name }) => name === "private-registry-login")!;
  expect(inputs).toMatchObject({
    metadata: { name: "registry-login", namespace: "private" },
    type: "kubernetes.io/dockerconfigjson",
  });
  expect(inputs["data"]).not.toHaveProperty([".dockerconfigjson"]); // sealed as a whole
  const { value } = inputs["data"] as { value: Record<string, string> };
  expect(Buffer.from(value[".dockerconfigjson"]!, "base64").toString()).toBe(login);
  const pods = found("kubernetes:apps/v1:Deployment", "private-karmada-webhook");
  expect(JSON.stringify(pods)).toContain('"imagePullSecrets":[{"name":"registry-login"}]');
});
