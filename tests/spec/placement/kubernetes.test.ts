import { stringify } from "yaml";
import { volumeWarnings } from "../../../spec/etcd/volumes.ts";
import { resolve } from "../../../spec/resolve.ts";
import { context, problemsOf, simulated } from "../configuration.ts";

const kubeconfig = stringify({
  "current-context": "host",
  contexts: [{ name: "host", context: { cluster: "host", user: "admin" } }],
  clusters: [{ name: "host", cluster: { server: "https://10.0.0.1:6443/" } }],
  users: [{ name: "admin", user: { token: "t0ken" } }],
});
const placement = (more: object = {}) => ({
  kind: "kubernetes",
  credentials: { kind: "kubeconfig", kubeconfig },
  exposure: { kind: "nodePort", addresses: ["10.0.0.11"] },
  ...more,
});

test("a kubeconfig and an address of a node are a whole deployment: three members of etcd, two of each program", () => {
  const { placement: found, controlPlane, etcd, pki } = resolve({ placement: placement() }, context);
  expect(found).toEqual({
    kind: "kubernetes",
    credentials: { kind: "kubeconfig", kubeconfig, server: "https://10.0.0.1:6443" },
    namespace: "karmada-system",
    clusterDomain: "cluster.local",
    images: {
      kubernetes: "registry.k8s.io",
      etcd: "quay.io/coreos",
      karmada: "docker.io/karmada",
      pinned: {},
      node: "docker.io/library/node:24-bookworm-slim",
      pullPolicy: "IfNotPresent",
    },
    storage: { size: "10Gi" },
    exposure: { kind: "nodePort", addresses: ["10.0.0.11"], apiServer: 32443, etcd: 32379 },
    nodeSelector: {},
    tolerations: [],
    networkPolicies: { enabled: true, metricsFrom: [] },
    spreadOver: ["kubernetes.io/hostname"],
    antiAffinity: "preferred",
    rolloutTimeout: "10m",
    labels: {},
    annotations: {},
    pods: {},
    hooks: [],
  });
  expect(etcd).toMatchObject({ members: ["etcd-0", "etcd-1", "etcd-2"] });
  expect(controlPlane["karmada-scheduler"].replicas).toBe(2);
  expect(pki.signRequests).toBe(false);
});

test("a kubeconfig is read from its file", () => {
  const credentials = { kind: "kubeconfigFile", path: "~/.kube/config", context: "host" };
  const files = { "~/.kube/config": { text: kubeconfig } };
  const { placement: found } = resolve({ placement: placement({ credentials }) }, { ...context, files });
  expect(found).toMatchObject({ credentials: { kind: "kubeconfig", kubeconfig, context: "host" } });
});

test("the endpoint that clients are given is one of the API servers' names", () => {
  const exposure = { kind: "nodePort", addresses: ["10.0.0.11"], endpoint: "https://karmada.example.org:443" };
  expect(resolve({ placement: placement({ exposure }) }, context).pki.extraNames).toEqual(["karmada.example.org"]);
});

test("annotations have keys that Kubernetes takes, and texts", () => {
  const problems = (annotations: object) =>
    problemsOf({ placement: placement({ exposure: { kind: "loadBalancer", annotations, etcd: {} } }) });
  const of = (key: string) => `placement.exposure.annotations${key}`;
  const wanted = 'this key is not allowed, want the key of an annotation such as "example.org/kind"';
  expect(
    problems({
      "service.beta.kubernetes.io/aws-load-balancer-type": "nlb",
      "Example.org/Kind_1": "",
      plain: "[1]",
      "a/b/c": "x",
      "a b": "x",
      "/a": "x",
      ["x".repeat(64)]: "x",
      number: 5,
    }),
  ).toEqual([
    `${of('["a/b/c"]')}: ${wanted}`,
    `${of('["a b"]')}: ${wanted}`,
    `${of('["/a"]')}: ${wanted}`,
    `${of(`.${"x".repeat(64)}`)}: ${wanted}`,
    `${of(".number")}: got 5, want text, in quotes`,
  ]);
});

test("every kind of exposure has its defaults", () => {
  const exposed = (exposure: object) => {
    const { placement: found } = resolve({ placement: placement({ exposure }) }, context);
    return found.kind === "kubernetes" && found.exposure;
  };
  expect(exposed({ kind: "loadBalancer", etcd: {} })).toEqual({
    kind: "loadBalancer",
    port: 5443,
    annotations: {},
    sourceRanges: [],
    etcd: { port: 2379, annotations: {}, sourceRanges: [] },
  });
  expect(exposed({ kind: "ingress", host: "karmada.example.org" })).toEqual({
    kind: "ingress",
    host: "karmada.example.org",
    port: 443,
    annotations: {},
  });
  expect(exposed({ kind: "clusterIP" })).toEqual({ kind: "clusterIP", addresses: [], apiServer: 5443, etcd: 2379 });
});

test("what is wrong with an exposure is said by its kind", () => {
  const wrong = (exposure: object) => problemsOf({ placement: placement({ exposure }) });
  const address = "10.0.0.100";
  expect(wrong({ kind: "loadBalancer", address, port: 2385, etcd: { address } })).toEqual([
    "placement.exposure.port: got 2385, want a port outside 2379-2385: these are etcd's",
  ]);
  expect(wrong({ kind: "loadBalancer", port: 2385, etcd: {} })).toEqual([]);
  expect(wrong({ kind: "loadBalancer", sourceRanges: ["10.0.0.1"] })).toEqual([
    'placement.exposure.sourceRanges[0]: got "10.0.0.1", want a network such as "10.0.0.0/8"',
    "placement.exposure.etcd: missing, want an object",
  ]);
  expect(wrong({ kind: "ingress", host: "10.0.0.1:443" })).toEqual([
    'placement.exposure.host: got "10.0.0.1:443", want a DNS name such as "karmada.example.org"',
  ]);
  expect(wrong({ kind: "ingress", host: "etcd-0.example.org", etcdDomain: "example.org" })).toEqual([
    'placement.exposure.host: got "etcd-0.example.org", want a name that does not begin with "etcd-": members of etcd have those below etcdDomain',
  ]);
  expect(wrong({ kind: "ingress", host: "etcd-0.example.org", etcdDomain: "etcd.example.org" })).toEqual([]);
  expect(wrong({ kind: "loadBalancer", loadBalancerClass: "Metal LB", etcd: {} })).toEqual([
    'placement.exposure.loadBalancerClass: got "Metal LB", want a load balancer class such as "example.org/balancer"',
  ]);
  expect(wrong({ kind: "clusterIP", addresses: ["10.0.0.1"], apiServer: 2380 })).toEqual([
    "placement.exposure.apiServer: got 2380, want a port outside 2379-2385: these are etcd's",
  ]);
});

test("the operator may have certificate requests signed in the host cluster", () => {
  expect(resolve({ placement: placement(), pki: { signRequests: true } }, context).pki.signRequests).toBe(true);
});

test("pods are spread over each label once: Kubernetes refuses it twice", () => {
  const zone = "topology.kubernetes.io/zone";
  expect(problemsOf({ placement: placement({ spreadOver: [zone, "kubernetes.io/hostname", zone] }) })).toEqual([
    `placement.spreadOver[2]: got "${zone}", want each label once`,
  ]);
});

test("everything that is wrong is said at once", () => {
  const typed = placement({
    namespace: "Karmada_System",
    clusterDomain: "cluster local",
    images: { karmada: "https://registry", pinned: { etcd: "no-tag" } },
    exposure: { kind: "nodePort", addresses: [], etcd: 70000 },
    storage: { size: "10" },
  });
  expect(problemsOf({ placement: typed }).map((line) => line.split(":")[0])).toEqual([
    "placement.namespace",
    "placement.clusterDomain",
    "placement.images.karmada",
    "placement.images.pinned.etcd",
    "placement.storage.size",
    "placement.exposure.addresses",
    "placement.exposure.etcd",
  ]);
});

test("a directory of the nodes is one that stays, and no storage class beside it", () => {
  const wrong = (storage: object) => problemsOf({ placement: placement({ storage }) });
  expect(wrong({ hostPath: "/var/lib/karmada" })).toEqual([]);
  expect(wrong({ hostPath: "/var/lib/karmada", storageClass: "fast" })).toEqual([
    "placement.storage: has storageClass and hostPath, want one of them",
  ]);
  expect(wrong({ hostPath: "/tmp/karmada" })).toEqual([
    'placement.storage.hostPath: got "/tmp/karmada", want a directory that stays: /tmp does not outlive a node\'s restart',
  ]);
  for (const hostPath of ["data", "/", "/var/../etc", "/var/", "/var//lib"])
    expect(wrong({ hostPath })).toEqual([
      `placement.storage.hostPath: got "${hostPath}", want an absolute path such as "/var/lib/karmada-etcd"`,
    ]);
});

test("ports that are given twice, images of no program and a kubeconfig without its context are refused", () => {
  const typed = placement({
    credentials: { kind: "kubeconfig", kubeconfig, context: "hots" },
    images: { pinned: { "karmada-sheduler": "registry.example.org/scheduler:v1" } },
    exposure: { kind: "nodePort", addresses: ["10.0.0.11"], apiServer: 32381 },
  });
  expect(problemsOf({ placement: typed })).toEqual([
    'placement.credentials.kubeconfig: this kubeconfig has no context "hots", did you mean "host"?',
    "placement.exposure.apiServer: got 32381, want a port outside 32379-32385: these are etcd's",
    'placement.images.pinned.karmada-sheduler: no such program, did you mean "karmada-scheduler"?',
  ]);
});

test("agents and estimators run in pods", () => {
  const member = { name: "a", syncMode: "Pull", credentials: { kind: "kubeconfig", kubeconfig } };
  const controlPlane = { "karmada-scheduler-estimator": { enabled: true } };
  expect(problemsOf({ placement: placement(), controlPlane, members: [member] })).toEqual([]);
});

const byNodePort = (more: object) => ({ kind: "nodePort", addresses: ["10.0.0.11"], ...more });

test.each([
  [byNodePort({}), []],
  [byNodePort({ apiServer: 32388 }), []],
  [
    byNodePort({ apiServer: 32389 }),
    ["placement.exposure.apiServer: got 32389, want a port outside 32389-32395: these are etcd-often's"],
  ],
  [
    byNodePort({ apiServer: 32405 }),
    ["placement.exposure.apiServer: got 32405, want a port outside 32399-32405: these are etcd-leases's"],
  ],
  [
    { kind: "loadBalancer", port: 2389, address: "10.0.0.9", etcd: { address: "10.0.0.9" } },
    ["placement.exposure.port: got 2389, want a port outside 2389-2395: these are etcd-often's"],
  ],
  [{ kind: "loadBalancer", port: 2389, address: "10.0.0.9", etcd: {} }, []],
  [
    { kind: "clusterIP", addresses: ["10.0.0.9"], etcd: 65515 },
    ["placement.exposure.etcd: got 65515, want at most 65509: members of etcd-leases have ports from 65535 on"],
  ],
  [{ kind: "ingress", host: "karmada.example.org" }, []],
])("with etcds for some kinds of objects, of %o is said: %o", (exposure, said) => {
  const overrides = [
    { name: "often", resources: ["/events"] },
    { name: "leases", resources: ["coordination.k8s.io/leases"] },
  ];
  expect(problemsOf({ placement: placement({ exposure }), etcd: { kind: "managed", overrides } })).toEqual(said);
});

test("what does not run in pods yet is refused by name", () => {
  const problems = problemsOf({
    placement: placement(),
    members: [simulated("a")],
  });
  expect(problems).toEqual([
    'members[0].credentials.kind: got "simulated", want "kubeconfig", "kubeconfigFile", "stack" or "ssh" with placement.kind "kubernetes": a simulated cluster is made of processes of this machine, which pods cannot reach',
  ]);
});

test("scheduled snapshots go from a pod to S3, by keys of their own, and to volumes; what would be on a node is refused by name", () => {
  const s3 = { kind: "s3", bucket: "backup" };
  const keys = { kind: "keys", accessKeyId: "id", secretAccessKey: "secret" };
  const snapshots = (more: object) => ({
    placement: placement(),
    snapshots: { targets: [{ ...s3, credentials: keys }], schedule: { cron: "0 * * * *" }, ...more },
  });
  expect(problemsOf(snapshots({}))).toEqual([]);
  const targets = [s3, { kind: "local", directory: "/backup" }, { kind: "nfs", directory: "/nfs" }];
  expect(problemsOf(snapshots({ targets, schedule: undefined }))).toEqual([]);
  const schedule = { cron: "0 * * * *", metricsFile: "/metrics/etcd.prom" };
  expect(problemsOf(snapshots({ targets, schedule, scratch: "/scratch" }))).toEqual([
    'snapshots.targets[0].credentials.kind: got "environment", want "keys" with placement.kind "kubernetes" and a schedule: the pod has neither files nor variables of yours',
    'snapshots.targets[1].kind: got "local", want "s3", or "nfs" or "cephfs" with a volume, with placement.kind "kubernetes" and a schedule: it would be on whichever node has the pod',
    'snapshots.targets[2].volume: missing, want the PersistentVolume of the file system with placement.kind "kubernetes" and a schedule, or a target of kind "s3": the pod sees no mounts of its node',
    'snapshots.schedule.metricsFile: is not available with placement.kind "kubernetes": it would be on whichever node has the pod; collect /metrics of the pod, see placement.networkPolicies.metricsFrom',
    'snapshots.scratch: is not available with placement.kind "kubernetes" and a schedule: it would be on whichever node has the pod; the pod has room of its own',
  ]);
});

const ceph = (directory: string, persistentVolume: string) => ({
  kind: "cephfs",
  directory,
  volume: { persistentVolume },
});

test("a pod has each volume once, at a place where it has nothing of its own", () => {
  const of = (...targets: object[]) =>
    problemsOf({ placement: placement(), snapshots: { targets, schedule: { cron: "0 * * * *" } } });
  expect(of(ceph("/mnt/backup", "backup"), ceph("/mnt/other", "other.ceph-1"))).toEqual([]);
  expect(of(ceph("/mnt/backup", "backup"), ceph("/mnt/other", "backup"))).toEqual([
    'snapshots.targets[1].volume.persistentVolume: got "backup", which is that of targets[0], want another one',
  ]);
  const own = (directory: string, taken: string) =>
    `snapshots.targets[0].directory: got "${directory}", want one in which the pod has nothing itself, such as "/mnt/backup": it needs ${taken}`;
  expect(of(ceph("/usr/backup", "a"))).toEqual([own("/usr/backup", "/usr")]);
  expect(of(ceph("/var/lib", "a"))).toEqual([own("/var/lib", "/var/lib/etcd")]);
  expect(of(ceph("/", "a"))).toEqual([own("/", "/bin")]);
  expect(of(ceph("/mnt/../tmp", "a"))).toEqual([own("/mnt/../tmp", "/tmp")]);
  expect(of(ceph("/mnt", "Backup"))).toEqual([
    'snapshots.targets[0].volume.persistentVolume: got "Backup", want the name of a PersistentVolume such as "karmada-backup"',
  ]);
});

test("a volume is refused where no pod takes snapshots by the clock", () => {
  const snapshots = { targets: [ceph("/mnt/backup", "backup")] };
  const refused =
    'snapshots.targets[0].volume: got one, want none: only the pod that takes scheduled snapshots with placement.kind "kubernetes" mounts it';
  expect(problemsOf({ placement: placement(), snapshots })).toEqual([refused]);
  expect(problemsOf({ snapshots: { ...snapshots, schedule: { cron: "0 * * * *" } } })).toEqual([refused]);
  const hosts = [{ name: "a", address: "10.0.0.1" }];
  expect(problemsOf({ placement: { kind: "hosts", hosts }, snapshots })).toContain(refused);
});

test("an image and a registry are named without a scheme, and a registry's port is a number", () => {
  const registry =
    'a registry with or without a path, in lower case and without "https://", such as "registry.example.org/mirror"';
  const image = 'an image with a tag or a digest, its path in lower case, without "https://"';
  const images = {
    kubernetes: "https://registry.example.org",
    etcd: "http://registry.example.org:5000/coreos",
    karmada: "registry.example.org:a/karmada",
    node: "https://registry.example.org/node:24",
    pinned: { etcd: `docker://registry.example.org/etcd@sha256:${"a".repeat(64)}` },
  };
  expect(problemsOf({ placement: placement({ images }) })).toEqual([
    `placement.images.kubernetes: got "${images.kubernetes}", want ${registry}`,
    `placement.images.etcd: got "${images.etcd}", want ${registry}`,
    `placement.images.karmada: got "${images.karmada}", want ${registry}`,
    expect.stringMatching(
      /^placement\.images\.pinned\.etcd: got .*, want an image with a tag or a digest, its path in lower case, without "https:\/\/"$/,
    ),
    `placement.images.node: got "${images.node}", want ${image}`,
  ]);
  const agent = { kind: "inMember", images: { karmada: "https://a", pinned: { "karmada-agent": "https://a/b:1" } } };
  const member = { name: "a", syncMode: "Pull", credentials: { kind: "kubeconfig", kubeconfig }, agent };
  expect(problemsOf({ placement: placement(), members: [member] })).toEqual([
    `members[0].agent.images.karmada: got "https://a", want ${registry}`,
    `members[0].agent.images.pinned.karmada-agent: got "https://a/b:1", want ${image}`,
  ]);
  const own = { kubernetes: "localhost:5000", etcd: "10.0.0.1:5000/a_b/c.d", node: "localhost:5000/node:24" };
  expect(problemsOf({ placement: placement({ images: own }) })).toEqual([]);
});

const config = (auths: unknown) => JSON.stringify({ auths });

test.each([
  ["no JSON", "registry.example.org me:p4ss", "this is not JSON"],
  ["a text", '"p4ss"', 'this has no "auths"'],
  ["nothing", "null", 'this has no "auths"'],
  ["JSON of something else", '{"registry.example.org":{"auth":"bWU6cDRzcw=="}}', 'this has no "auths"'],
  ["a list", config(["p4ss"]), 'this has no "auths"'],
  ["no registry", config({}), 'its "auths" has no registry'],
])("%s is no Docker configuration", (_, login, what) => {
  const message = `${what}, want a Docker configuration such as {"auths": {"registry.example.org": {"auth": "..."}}} (not shown: a secret)`;
  expect(problemsOf({ placement: placement({ images: { login } }) })).toEqual([`placement.images.login: ${message}`]);
  const agent = { kind: "inMember", images: { login } };
  const member = { name: "a", syncMode: "Pull", credentials: { kind: "kubeconfig", kubeconfig }, agent };
  expect(problemsOf({ placement: placement(), members: [member] })).toEqual([
    `members[0].agent.images.login: ${message}`,
  ]);
});

test("a Docker configuration has its logins in it, not in a keychain of this machine", () => {
  const problems = (auths: object) => problemsOf({ placement: placement({ images: { login: config(auths) } }) });
  for (const auth of [{ auth: "bWU6cDRzcw==" }, { username: "me", password: "p4ss" }, { identitytoken: "t0ken" }])
    expect(problems({ "registry.example.org": auth })).toEqual([]);
  const names = { "a.example.org": {}, "b.example.org": { auth: "" }, "c.example.org": { username: "me" } };
  expect(problems({ ...names, "d.example.org": { auth: "bWU6cDRzcw==" } })).toEqual([
    'placement.images.login: it has no login for a.example.org, b.example.org, c.example.org, want "auth" there, or "username" and "password": docker login may have put it into a credsStore, which nodes have not',
  ]);
});

const ofNodes = (more: object) => ({
  placement: placement(more),
  members: [
    {
      name: "a",
      syncMode: "Pull",
      credentials: { kind: "kubeconfig", kubeconfig },
      agent: { kind: "inMember", ...more },
    },
  ],
});
/** The same of the host cluster, and of the agent in a member. */
const both = (...problems: string[]) =>
  ["placement", "members[0].agent"].flatMap((path) => problems.map((problem) => `${path}.${problem}`));

test("nodes are chosen by labels that nodes can have", () => {
  const keys = ["a b", "a/b/c", "a..b/c", "-a", "/a", "", `${"a".repeat(64)}`];
  const nodeSelector = {
    ...Object.fromEntries(keys.map((key) => [key, "x"])),
    zone: "a b",
    disk: "-",
    rack: "a".repeat(64),
  };
  const path = (key: string) => `nodeSelector${/^[-\w]+$/.test(key) ? `.${key}` : `["${key}"]`}`;
  const value = "want a label value: text of at most 63 letters, digits, '-', '_' and '.', in quotes";
  expect(problemsOf(ofNodes({ nodeSelector }))).toEqual(
    both(
      ...keys.map(
        (key) => `${path(key)}: this key is not allowed, want a label key such as "tier" or "example.org/tier"`,
      ),
      `nodeSelector.zone: got "a b", ${value}`,
      `nodeSelector.disk: got "-", ${value}`,
      `nodeSelector.rack: got "${"a".repeat(64)}", ${value}`,
    ),
  );
  expect(problemsOf(ofNodes({ nodeSelector: { "node-role.kubernetes.io/control-plane": "", zone: "a" } }))).toEqual([]);
  expect(problemsOf({ placement: placement({ spreadOver: ["topology kubernetes.io/zone"] }) })).toEqual([
    'placement.spreadOver[0]: got "topology kubernetes.io/zone", want a label key such as "tier" or "example.org/tier"',
  ]);
});

test("tolerations are what Kubernetes accepts", () => {
  const tolerations = [
    { value: "x" },
    { effect: "NoSchedule" },
    { key: "gpu", operator: "Exists", value: "true" },
    { key: "gpu", value: "a b" },
    { key: "a b", operator: "Exists" },
    { key: "gpu", operator: "Exists", tolerationSeconds: 30 },
    { key: "gpu", effect: "NoExecute", tolerationSeconds: -1 },
  ];
  const key = 'missing, want the key of a taint, or operator "Exists", which without a key tolerates every taint';
  expect(problemsOf(ofNodes({ tolerations }))).toEqual(
    both(
      `tolerations[0].key: ${key}`,
      `tolerations[1].key: ${key}`,
      'tolerations[2].value: got "true", want none with operator "Exists", or operator "Equal"',
      "tolerations[3].value: got \"a b\", want a label value: text of at most 63 letters, digits, '-', '_' and '.', in quotes",
      'tolerations[4].key: got "a b", want a label key such as "tier" or "example.org/tier"',
      'tolerations[5].tolerationSeconds: got 30, want none, or effect "NoExecute" with it',
      "tolerations[6].tolerationSeconds: got -1, want a whole number from 0 to 2147483647",
    ),
  );
  const gone = {
    key: "node.kubernetes.io/unreachable",
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds: 30,
  };
  const right = [
    gone,
    { operator: "Exists" },
    { key: "gpu" },
    { key: "gpu", value: "a" },
    { key: "b", operator: "Exists" },
  ];
  expect(problemsOf(ofNodes({ tolerations: right }))).toEqual([]);
});

const digest = `@sha256:${"a".repeat(64)}`;

test.each([
  "etcd:v3.6.6",
  "coreos/etcd:v3.6.6",
  "localhost:5000/etcd:v3.6.6",
  "Registry.example.org/a/b_c__d--e.f:V1_2.3-x",
  `registry.example.org/etcd${digest}`,
  `registry.example.org/etcd:v3.6.6${digest}`,
])("%s is an image", (node) => {
  expect(problemsOf({ placement: placement({ images: { node } }) })).toEqual([]);
});

test.each([
  "etcd",
  "registry.example.org/Karmada/etcd:v3.6.6",
  "registry.example.org/karmada//etcd:v3.6.6",
  "registry.example.org/karmada/-etcd:v3.6.6",
  "-registry.example.org/etcd:v3.6.6",
  "registry.example.org/etcd:v3:6",
  `registry.example.org/etcd:${"v".repeat(129)}`,
])("%s is no image, which no node would pull", (node) => {
  expect(problemsOf({ placement: placement({ images: { node } }) })).toEqual([
    expect.stringMatching(
      /^placement\.images\.node: got .*, want an image with a tag or a digest, its path in lower case/,
    ),
  ]);
});

test.each(["a..b", "registry.example.org/karmada-", "registry.example.org/Karmada", "registry.example.org/", "a//b"])(
  "before the names of images cannot stand %s",
  (karmada) => {
    expect(problemsOf({ placement: placement({ images: { karmada } }) })).toHaveLength(1);
  },
);

test("a pinned image whose tag names another version than is declared is refused, and a digest alone is believed", () => {
  const digest = `@sha256:${"a".repeat(64)}`;
  const versions = { karmada: "1.18.2", kubernetes: "1.35.3", etcd: "3.6.6" };
  const controlPlane = { "karmada-descheduler": { version: "1.17.1" } };
  const agent = { kind: "inMember", images: { pinned: { "karmada-agent": "a/karmada-agent:v1.17.1" } } };
  const member = { name: "a", syncMode: "Pull", credentials: { kind: "kubeconfig", kubeconfig }, agent };
  const wrong = (pinned: object, members: object[] = []) =>
    problemsOf({ placement: placement({ images: { pinned } }), versions, controlPlane, members });
  expect(
    wrong({
      etcd: "registry.k8s.io/etcd:3.6.6-0",
      "kube-apiserver": `a/kube-apiserver:v1.35.3${digest}`,
      "kube-controller-manager": "localhost:5000/a:stable",
      "karmada-scheduler": `a/karmada-scheduler${digest}`,
      "karmada-webhook": "a/karmada-webhook:v1.18",
      "karmada-descheduler": "a/karmada-descheduler:v1.17.1",
    }),
  ).toEqual([]);
  const etcd = `registry.k8s.io/etcd:3.5.35-0${digest}`;
  const webhook = "10.0.0.1:5000/karmada-webhook:v1.17.1";
  expect(wrong({ etcd, "karmada-webhook": webhook }, [member])).toEqual([
    `placement.images.pinned.etcd: got "${etcd}", want one of 3.6.6, as declared, or its digest without a tag`,
    `placement.images.pinned.karmada-webhook: got "${webhook}", want one of 1.18.2, as declared, or its digest without a tag`,
    'members[0].agent.images.pinned.karmada-agent: got "a/karmada-agent:v1.17.1", want one of 1.18.2, as declared, or its digest without a tag',
  ]);
});

describe("volumes that a database may outgrow", () => {
  const warnings = (storage: object, etcd: object = {}) =>
    volumeWarnings(
      resolve({ placement: placement({ storage }), etcd: { kind: "managed", members: 3, ...etcd } }, context),
    );
  const sentence = (path: string, quota: string, size: string) =>
    `${path}: a database of ${quota} with its log does not fit on a volume of ${size} (placement.storage.size); when that is full etcd ends and does not start again, where at its quota it would go on serving reads`;

  test("a database fits on a volume that has room for its log as well", () => {
    expect(warnings({})).toEqual([]);
    expect(warnings({ size: "8704Mi" })).toEqual([]);
    expect(warnings({ size: "8703Mi" })).toEqual([sentence("etcd.quota", "8Gi", "8703Mi")]);
  });

  test("each etcd is looked at with its own quota", () => {
    const overrides = [
      { name: "events", resources: ["/events"], members: 3, quota: "16Gi" },
      { name: "leases", resources: ["coordination.k8s.io/leases"], members: 1, quota: "1Gi" },
    ];
    expect(warnings({}, { overrides })).toEqual([sentence("etcd.overrides[events].quota", "16Gi", "10Gi")]);
  });

  test("nobody holds a directory of a node to its size", () => {
    expect(warnings({ size: "1Gi", hostPath: "/var/lib/karmada-etcd" })).toEqual([]);
  });
});
