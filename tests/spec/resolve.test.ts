import { resolve } from "../../spec/resolve.ts";
import { context, problemsOf, simulated } from "./configuration.ts";

const ofMembers = { version: "1.18.2", logLevel: 2, extraArgs: {}, featureGates: {}, resources: {} };
const component = { ...ofMembers, replicas: 1, files: {} };
const ofKubernetes = { ...component, version: "1.35.3" };
const addon = { enabled: false, ...component };

test("an empty configuration is a whole deployment", () => {
  expect(resolve({}, context)).toEqual({
    program: "karmada",
    name: "dev",
    versions: { karmada: "1.18.2", kubernetes: "1.35.3", etcd: "3.6.6", allowDowngrade: false },
    placement: {
      kind: "local",
      directory: "/home/operator/.local/state/karmada-pulumi/karmada-dev",
      basePort: 24000,
      address: "127.0.0.1",
      hooks: [],
    },
    pki: {
      authorityValidity: "87600h",
      certificateValidity: "8760h",
      renewBefore: "720h",
      extraNames: [],
      signRequests: true,
      authorities: {},
      authorityKeys: {},
      clients: [],
    },
    etcd: {
      kind: "managed",
      members: ["etcd-0", "etcd-1", "etcd-2"],
      quota: "8Gi",
      replace: {},
      resources: {},
      defragment: { fragmentation: 0.45, size: "100Mi" },
      foreignMembers: "refuse",
      overrides: [],
      protect: false,
      extraArgs: {},
    },
    controlPlane: {
      probeMembers: true,
      propagateRbac: true,
      karmadactlRegister: false,
      networks: [],
      schedulers: [],
      failover: { enabled: false, evictionsPerSecond: 10, purge: "Gracefully" },
      encryption: { provider: "none", resources: ["secrets", "works.work.karmada.io"], keys: [] },
      "karmada-agent": ofMembers,
      "karmada-scheduler-estimator": { enabled: false, ...ofMembers },
      "kube-apiserver": ofKubernetes,
      "kube-controller-manager": ofKubernetes,
      "karmada-aggregated-apiserver": component,
      "karmada-controller-manager": component,
      "karmada-scheduler": component,
      "karmada-webhook": component,
      "karmada-descheduler": addon,
      "karmada-search": addon,
      "karmada-metrics-adapter": addon,
    },
    members: [],
    addons: [],
    membersMayLeave: [],
    teams: [],
    teamMembers: [],
    monitoring: { enabled: false },
    policies: [],
    policyTemplates: [],
    rebalancers: [],
    snapshots: expect.objectContaining({ targets: [] }) as object,
    sample: false,
  });
});

test("a simulated member gets two nodes of 8 cores and 32Gi", () => {
  expect(resolve({ members: [simulated("m1")] }, context).members).toEqual([
    {
      name: "m1",
      fromNetworks: false,
      preserveWorkloads: false,
      handOver: false,
      syncMode: "Push",
      modeReason: "the stack file says so",
      networks: [],
      zones: [],
      labels: {},
      taints: [],
      proxyHeader: {},
      agent: { kind: "beside", registration: "certificate" },
      credentials: { kind: "simulated", nodes: 2, cpu: "8", memory: "32Gi", pods: 110 },
    },
  ]);
});

test("the result cannot be changed, however deep", () => {
  const deployment = resolve({ members: [simulated("m1")] }, context);
  expect(() => Object.assign(deployment.members[0]!.labels as object, { tier: "gold" })).toThrow("not extensible");
});

test("numbers and truth values are taken as values of flags", () => {
  const extraArgs = { "max-requests-inflight": 3000, "enable-priority-and-fairness": false, "audit-log-path": "-" };
  const deployment = resolve({ controlPlane: { "kube-apiserver": { extraArgs } } }, context);
  expect(deployment.controlPlane["kube-apiserver"].extraArgs).toEqual({
    "max-requests-inflight": "3000",
    "enable-priority-and-fairness": "false",
    "audit-log-path": "-",
  });
});

test.each([
  ["relative to the stack file", "state", "/project/state"],
  ["absolute", "/var/lib/karmada", "/var/lib/karmada"],
  ["in the home directory", "~/karmada", "/home/operator/karmada"],
])("the state directory can be %s", (_, directory, expected) => {
  expect(resolve({ placement: { kind: "local", directory } }, context).placement).toMatchObject({
    directory: expected,
  });
});

test("every problem is reported at once, by section, with path, value received and values allowed", () => {
  const config = {
    membres: [],
    versions: { karmada: "1.16.0", etcd: 3.6 },
    placement: { kind: "local", basePort: "24000", address: "0.0.0.0" },
    pki: { renewBefore: "30d", extraNames: ["https://karmada.example.org"] },
    etcd: { kind: "managed", members: 4, quota: "8GB" },
    controlPlane: { "karmada-webhok": {}, "karmada-scheduler": { replicas: 9, enabled: true, logLevel: "2" } },
    members: [{ name: "Paris", syncMode: "Pul", credentials: { kind: "simulatd" } }, simulated("paris", { zone: "a" })],
    sample: "yes",
  };
  expect(problemsOf(config)).toEqual([
    'membres: unknown key, did you mean "members"?',
    'versions.karmada: got "1.16.0", want "1.18.2" or "1.17.1"',
    'versions.etcd: got 3.6, want "3.6.6", "3.6.16", "3.6.8" or "3.5.35"',
    'placement.basePort: got "24000", want a whole number from 1024 to 64536',
    'placement.address: got "0.0.0.0", want a loopback address such as "127.0.0.1"',
    'pki.renewBefore: got "30d", want a length of time such as "30s", "10m" or "720h"',
    'pki.extraNames[0]: got "https://karmada.example.org", want a host name or an IP address, without port',
    "etcd.members: got 4, want 1, 3, 5 or 7 (a quorum of 4 needs 3: no more losses are survived than with 3)",
    'etcd.quota: got "8GB", want a size such as "512Mi" or "8Gi"',
    "controlPlane.karmada-scheduler.replicas: got 9, want a whole number from 1 to 5",
    'controlPlane.karmada-scheduler.logLevel: got "2", want a whole number from 0 to 10',
    "controlPlane.karmada-scheduler.enabled: unknown key, want one of version, replicas, logLevel, extraArgs, files, featureGates, resources",
    'controlPlane.karmada-webhok: unknown key, did you mean "karmada-webhook"?',
    'members[0].name: got "Paris", want a DNS-1123 name of at most 48 characters: lower-case letters, digits and "-", not first or last',
    'members[0].syncMode: got "Pul", want "Push", "Pull" or "auto"',
    'members[0].credentials.kind: got "simulatd", want "kubeconfig", "kubeconfigFile", "stack", "ssh" or "simulated"',
    'members[1].zone: unknown key, did you mean "zones"?',
    'members[1].name: got "paris", want another name: members[0] has it (case does not count)',
    'sample: got "yes", want true or false',
  ]);
});

test("the report says which stack, how much is wrong, and that nothing happened", () => {
  expect(() => resolve({ sample: 1, nmae: "x" }, context)).toThrow(
    [
      "stack dev: 2 problems in its configuration, nothing was changed",
      '  nmae: unknown key, did you mean "name"?',
      "  sample: got 1, want true or false",
    ].join("\n"),
  );
});

test.each([
  ["a text", "members", "text"],
  ["nothing", "etcd", null],
  ["a list", "pki", []],
])("%s in the place of a section is named", (_, key, value) => {
  expect(problemsOf({ [key]: value })).toHaveLength(1);
});

test.each(["toString", "constructor", "__proto__"])("%s is a key that nobody knows", (key) => {
  expect(problemsOf(Object.fromEntries([[key, 1]]))).toEqual([
    expect.stringMatching(new RegExp(`^${key}: unknown key, want one of program, name, versions, `)),
  ]);
});

test("what cannot be seen in a value is shown by its number", () => {
  const copied = ["paris\u00a0", "pa\u200bris", "\u202eparis", "\ufeffparis", "pa\u0085ris", "pa\tris"];
  expect(copied.flatMap((name) => problemsOf({ name })).map((problem) => problem.split(",")[0])).toEqual([
    String.raw`name: got "paris\u00a0"`,
    String.raw`name: got "pa\u200bris"`,
    String.raw`name: got "\u202eparis"`,
    String.raw`name: got "\ufeffparis"`,
    String.raw`name: got "pa\u0085ris"`,
    String.raw`name: got "pa\tris"`,
  ]);
  expect(problemsOf({ name: "Zürich 東京" })[0]).toMatch('name: got "Zürich 東京"');
});

test("a directory may be called whatever the programs take as one path", () => {
  const placed = (directory: string) => problemsOf({ placement: { kind: "local", directory } });
  expect(placed("/srv/Acme, Inc/o'brien #1: 50%/Zürich")).toEqual([]);
  expect(placed('/srv/"a"')).toEqual([
    String.raw`placement.directory: got "/srv/\"a\"", want a directory without quotation marks or line breaks in its path`,
  ]);
});

test("a stack whose name cannot be a deployment's needs a name", () => {
  expect(problemsOf({}, { stack: "Production_1" })).toEqual([
    'name: missing, and the name of the stack does not serve: got "Production_1", want a DNS-1123 name of at most 48 characters: lower-case letters, digits and "-", not first or last',
  ]);
  expect(problemsOf({ name: "production-1" }, { stack: "Production_1" })).toEqual([]);
});

test("names have at most 48 characters", () => {
  expect(problemsOf({ name: "a".repeat(48), members: [simulated("b".repeat(48))] })).toEqual([]);
  expect(problemsOf({ name: "a".repeat(49) })).toEqual([
    `name: got "${"a".repeat(49)}", want a DNS-1123 name of at most 48 characters: lower-case letters, digits and "-", not first or last`,
  ]);
});
