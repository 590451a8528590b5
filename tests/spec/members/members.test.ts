import { X509Certificate } from "node:crypto";
import { stringify } from "yaml";
import { serverOf } from "../../../spec/kubeconfig.ts";
import { resolve } from "../../../spec/resolve.ts";
import { createAuthority } from "../../support/certificates.ts";
import { context, problemsOf, simulated } from "../configuration.ts";

const authority = await createAuthority("paris");
const leaf = await authority.issue({ commonName: "admin" });
const base64 = (text: string) => Buffer.from(text).toString("base64");
const now = new Date();
const day = (pem: string, end: "validFromDate" | "validToDate") =>
  new X509Certificate(pem)[end].toISOString().slice(0, 10);

/** A kubeconfig whose user holds a secret token and a certificate. */
const kubeconfig = (changes: { cluster?: object; user?: object; whole?: object } = {}) =>
  stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "paris",
    contexts: [{ name: "paris", context: { cluster: "paris", user: "admin" } }],
    clusters: [
      {
        name: "paris",
        cluster: {
          server: "https://paris.example.org:6443",
          "certificate-authority-data": base64(authority.certificate),
          ...changes.cluster,
        },
      },
    ],
    users: [
      {
        name: "admin",
        user: {
          token: "t0ken",
          "client-certificate-data": base64(leaf.certificate),
          "client-key-data": base64(leaf.key),
          ...changes.user,
        },
      },
    ],
    ...changes.whole,
  });

const problemsWith = (text: unknown, more: object = {}, changes: object = {}) =>
  problemsOf(
    { members: [{ name: "paris", credentials: { kind: "kubeconfig", kubeconfig: text, ...more } }] },
    { now, ...changes },
  );
const path = "members[0].credentials.kubeconfig";

test("a kubeconfig with everything in it is accepted", () => {
  expect(problemsWith(kubeconfig())).toEqual([]);
  expect(serverOf(kubeconfig(), undefined)).toBe("https://paris.example.org:6443");
});

test("what does not parse is refused without a word of it", () => {
  expect(problemsWith("users: [t0ken\n  - {")).toEqual([
    `${path}: this kubeconfig does not parse: MULTILINE_IMPLICIT_KEY in line 1 of it (not shown: a secret)`,
  ]);
  expect(problemsWith("t0ken")).toEqual([`${path}: this is not a kubeconfig: it has no list of contexts`]);
  expect(problemsWith(12345)).toEqual([`${path}: got something else (not shown: a secret), want a kubeconfig as text`]);
});

test("credentials in the wrong place are not repeated either", () => {
  const members = [{ name: "paris", credentials: "token: t0ken" }];
  expect(problemsOf({ members, etcd: { kind: "external", endpoints: [], ca: leaf.key } })).toEqual([
    "etcd.endpoints: got an empty list, want at least one",
    "etcd.ca: got a text of 5 lines, want a certificate in PEM form",
    "etcd.certificate: missing, want a certificate in PEM form",
    "etcd.key: missing, want a private key in PEM form",
    "members[0].credentials: got something else (not shown: a secret), want an object with a kind",
  ]);
});

test("a context that is not there is named, with the one that was meant or those there are", () => {
  expect(problemsWith(kubeconfig(), { context: "pariss" })).toEqual([
    `${path}: this kubeconfig has no context "pariss", did you mean "paris"?`,
  ]);
  expect(problemsWith(kubeconfig(), { context: "production" })).toEqual([
    `${path}: this kubeconfig has no context "production", it has "paris"`,
  ]);
  expect(problemsWith(kubeconfig({ whole: { "current-context": "" } }))).toEqual([
    `${path}: this kubeconfig has no current context, want one in it or a context named beside it`,
  ]);
});

test("an expired authority is accepted beside one that is valid, whichever comes first", async () => {
  const old = await authority.issue({ commonName: "old", expired: true });
  const bundle = (...pems: string[]) =>
    problemsWith(kubeconfig({ cluster: { "certificate-authority-data": base64(pems.join("\n")) } }));
  expect(bundle(old.certificate, authority.certificate)).toEqual([]);
  expect(bundle(authority.certificate, old.certificate)).toEqual([]);
  expect(bundle(old.certificate, old.certificate)).toEqual([
    `${path}: the certificate authority in this kubeconfig expired on ${day(old.certificate, "validToDate")}, want a new kubeconfig of this cluster`,
  ]);
});

test.each([
  ["clusters", 'this kubeconfig has no cluster "paris", it has none'],
  ["users", 'this kubeconfig has no user "admin", it has none'],
])("a context that points to nothing in %s is refused", (list, message) => {
  expect(problemsWith(kubeconfig({ whole: { [list]: [] } }))).toEqual([`${path}: ${message}`]);
});

test("an expired certificate is refused, with the day it expired", () => {
  const later = new Date(now.getTime() + 2 * 365 * 24 * 3600 * 1000);
  expect(problemsWith(kubeconfig(), {}, { now: later })).toEqual([
    `${path}: the certificate authority in this kubeconfig expired on ${day(authority.certificate, "validToDate")}, want a new kubeconfig of this cluster`,
    `${path}: the client certificate in this kubeconfig expired on ${day(leaf.certificate, "validToDate")}, want a new kubeconfig of this cluster`,
  ]);
});

test("a certificate from the future points to the clock", () => {
  const earlier = new Date("2020-01-01T00:00:00Z");
  expect(
    problemsWith(kubeconfig({ cluster: { "certificate-authority-data": undefined } }), {}, { now: earlier }),
  ).toEqual([
    `${path}: the client certificate in this kubeconfig is valid only from ${day(leaf.certificate, "validFromDate")}, check the clock of this machine`,
  ]);
});

test("a certificate that is none, an address without TLS and files elsewhere are all reported", () => {
  const text = kubeconfig({
    cluster: { server: "http://paris:8080", "certificate-authority-data": base64("none") },
    user: { "client-key-data": undefined, "client-key": "/home/operator/admin.key" },
  });
  expect(problemsWith(text)).toEqual([
    `${path}: cluster "paris" of this kubeconfig has no https server address`,
    `${path}: the certificate authority in this kubeconfig is not a certificate`,
    `${path}: this kubeconfig points to another file (client-key), want it embedded: kubectl config view --flatten --raw`,
  ]);
});

test("a file elsewhere is reported too where the field to embed it in is there and empty", () => {
  const text = kubeconfig({ user: { "client-key-data": "", "client-key": "/home/operator/admin.key" } });
  expect(problemsWith(text)).toEqual([
    `${path}: this kubeconfig points to another file (client-key), want it embedded: kubectl config view --flatten --raw`,
  ]);
});

test("a file with a token is reported, with what kubectl would not do", () => {
  expect(problemsWith(kubeconfig({ user: { ...nothing, tokenFile: "/run/token" } }))).toEqual([
    `${path}: this kubeconfig points to another file (tokenFile), want the token itself (token), or a program (exec)`,
  ]);
});

const nothing = { token: undefined, "client-certificate-data": undefined, "client-key-data": undefined };
const wantCredentials =
  'user "admin" of this kubeconfig has nothing to log in with, want a token, a client certificate with its key, or a program (exec)';

test.each([
  ["nothing", {}],
  ["an empty token", { token: "" }],
  ["somebody to speak for", { as: "root" }],
  ["nobody's password", { password: "p4ss" }],
])("a user with %s cannot log in", (_, user) => {
  expect(problemsWith(kubeconfig({ user: { ...nothing, ...user } }))).toEqual([`${path}: ${wantCredentials}`]);
});

test.each([
  ["a token", { token: "t0ken" }],
  ["a name and a password", { username: "admin", password: "p4ss" }],
  ["a program", { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "aws" } }],
  ["an auth provider", { "auth-provider": { name: "oidc" } }],
])("a user with %s can log in", (_, user) => {
  expect(problemsWith(kubeconfig({ user: { ...nothing, ...user } }))).toEqual([]);
});

test("a client certificate and its key are there together, and belong together", async () => {
  const other = await authority.issue({ commonName: "other" });
  const problems = (user: object) => problemsWith(kubeconfig({ user }));
  const certificate = 'user "admin" of this kubeconfig has a client certificate without its key (client-key-data)';
  expect(problems({ "client-key-data": undefined })).toEqual([`${path}: ${certificate}`]);
  expect(problems({ "client-certificate-data": undefined })).toEqual([
    `${path}: user "admin" of this kubeconfig has a client key without its certificate (client-certificate-data)`,
  ]);
  expect(problems({ "client-key-data": base64(other.key) })).toEqual([
    `${path}: the client key in this kubeconfig does not belong to its client certificate`,
  ]);
  expect(problems({ "client-key-data": base64("s3cr3t") })).toEqual([
    `${path}: the client key in this kubeconfig is not a private key that opens without a passphrase`,
  ]);
  expect(problems({ "client-key-data": undefined, "client-key": "admin.key" })).toHaveLength(1);
});

test("a server is an address, as a URL has it", () => {
  const server = 'cluster "paris" of this kubeconfig has no https server address';
  for (const wrong of ["https://paris:70000", "https://10.0.0.256:6443", "https://a b", "paris:6443", "ftp://paris", 1])
    expect([wrong, problemsWith(kubeconfig({ cluster: { server: wrong } }))]).toEqual([wrong, [`${path}: ${server}`]]);
});

test("numbers where texts belong are no crash, and no way to log in", () => {
  expect(problemsWith(kubeconfig({ whole: { "current-context": 12345 } }))).toEqual([
    `${path}: the current context of this kubeconfig is no text, want "12345" in quotes`,
  ]);
  expect(problemsWith(kubeconfig({ whole: { contexts: [null, {}, { name: 7 }] } }))).toEqual([
    `${path}: this kubeconfig has no context "paris", it has "7"`,
  ]);
  for (const [field, user] of Object.entries({
    token: { token: 12345 },
    username: { username: 7 },
    password: { username: "admin", password: 7 },
  }))
    expect(problemsWith(kubeconfig({ user: { ...nothing, ...user } }))).toEqual([
      `${path}: user "admin" of this kubeconfig has a ${field} that is no text, want it in quotes`,
    ]);
});

test("a proxy is an address, as Kubernetes' clients take it", () => {
  const proxy =
    'cluster "paris" of this kubeconfig has no address in proxy-url, want one such as "http://10.0.0.1:3128"';
  const problems = (url: unknown) => problemsWith(kubeconfig({ cluster: { "proxy-url": url } }));
  for (const right of ["http://p:3128", "https://u:p4ss@p/", "socks5://10.0.0.1:1080", "", null])
    expect([right, problems(right)]).toEqual([right, []]);
  for (const wrong of ["p:3128", "ftp://p", "http://p p", "http://", 1])
    expect([wrong, problems(wrong)]).toEqual([wrong, [`${path}: ${proxy}`]]);
});

test("a reference to what is not there is no crash", () => {
  expect(problemsWith("contexts: *there\n")).toEqual([
    `${path}: this kubeconfig does not parse: it refers to what is not in it (not shown: a secret)`,
  ]);
});

test("a kubeconfig of the host cluster is checked alike", () => {
  const credentials = { kind: "kubeconfig", kubeconfig: kubeconfig({ user: nothing }) };
  const exposure = { kind: "nodePort", addresses: ["10.0.0.11"] };
  expect(problemsOf({ placement: { kind: "kubernetes", credentials, exposure } }, { now })).toEqual([
    `placement.credentials.kubeconfig: ${wantCredentials}`,
  ]);
});

test("a kubeconfig file is read into the same kind of credentials", () => {
  const members = [
    { name: "paris", credentials: { kind: "kubeconfigFile", path: "~/.kube/config", context: "paris" } },
  ];
  const files = { "~/.kube/config": { text: kubeconfig() } };
  expect(resolve({ members }, { ...context, now, files }).members[0]!.credentials).toEqual({
    kind: "kubeconfig",
    kubeconfig: kubeconfig(),
    server: "https://paris.example.org:6443",
    context: "paris",
  });
});

test("a kubeconfig file that could not be read says why, at its path", () => {
  const members = [{ name: "paris", credentials: { kind: "kubeconfigFile", path: "paris.yaml" } }];
  const files = { "paris.yaml": { error: 'got "paris.yaml", but there is no such file: /project/paris.yaml' } };
  expect(problemsOf({ members }, { files })).toEqual([
    'members[0].credentials.path: got "paris.yaml", but there is no such file: /project/paris.yaml',
  ]);
});

test("a kubeconfig of another stack is read from its output into the same kind of credentials", () => {
  const members = [{ name: "paris", credentials: { kind: "stack", stack: "eks/paris", output: "kubeconfig" } }];
  const stacks = { "eks/paris": { outputs: { kubeconfig: kubeconfig() } } };
  expect(resolve({ members }, { ...context, now, stacks }).members[0]!.credentials).toEqual({
    kind: "kubeconfig",
    kubeconfig: kubeconfig(),
    server: "https://paris.example.org:6443",
  });
});

test("an output that is not there, or is no kubeconfig, and a stack that cannot be read say so, at their fields", () => {
  const from = (stack: string, output: string, more: object = {}) => ({ kind: "stack", stack, output, ...more });
  const all = [
    from("eks/paris", "kubeconfg"),
    from("eks/paris", "toString"),
    from("eks/paris", "nodes"),
    from("eks/paris", "kubeconfig", { context: "pari" }),
    from("eks/new", "kubeconfig"),
    from("eks/none", "kubeconfig"),
  ];
  const stacks = {
    "eks/paris": { outputs: { nodes: "3", kubeconfig: kubeconfig() } },
    "eks/new": { outputs: {} },
    "eks/none": { error: "the stack organization/eks/none cannot be read: unknown stack" },
  };
  const members = all.map((credentials, i) => ({ name: `m${i}`, credentials }));
  expect(problemsOf({ members }, { now, stacks })).toEqual([
    'members[0].credentials.output: got "kubeconfg", but the stack eks/paris has no such output: did you mean "kubeconfig"? It has kubeconfig, nodes',
    'members[1].credentials.output: got "toString", but the stack eks/paris has no such output: it has kubeconfig, nodes',
    "members[2].credentials.output: this is not a kubeconfig: it has no list of contexts",
    'members[3].credentials.output: this kubeconfig has no context "pari", did you mean "paris"?',
    'members[4].credentials.output: got "kubeconfig", but the stack eks/new has no outputs: bring it up first',
    "members[5].credentials.stack: the stack organization/eks/none cannot be read: unknown stack",
  ]);
});

test("names are unique, whatever their case, even where other things are wrong", () => {
  const members = [simulated("m1", { zones: 1 }), simulated("m2"), { name: "M1" }, simulated("m2")];
  expect(problemsOf({ members })).toEqual([
    "members[0].zones: got 1, want a list",
    'members[2].name: got "M1", want a DNS-1123 name of at most 48 characters: lower-case letters, digits and "-", not first or last',
    "members[2].credentials: missing, want an object with a kind",
    'members[2].name: got "M1", want another name: members[0] has it (case does not count)',
    'members[3].name: got "m2", want another name: members[1] has it (case does not count)',
  ]);
});

test("a name leaves room for that of its estimator's Service where there are estimators", () => {
  const [fits, long] = ["a".repeat(35), "b".repeat(36)];
  const members = [simulated(fits), simulated(long)];
  const enabled = { "karmada-scheduler-estimator": { enabled: true } };
  expect(problemsOf({ members })).toEqual([]);
  expect(problemsOf({ members, controlPlane: enabled })).toEqual([
    `members[1].name: got "${long}", want at most 35 characters with controlPlane.karmada-scheduler-estimator: its Service is named after it`,
  ]);
});

test("a member is reached by Push unless it says otherwise", () => {
  const { members } = resolve({ members: [simulated("m1"), simulated("m2", { syncMode: "Pull" })] }, context);
  expect(members.map(({ syncMode }) => syncMode)).toEqual(["Push", "Pull"]);
  expect(problemsOf({ members: [simulated("m1", { syncMode: "pull" })] })).toEqual([
    'members[0].syncMode: got "pull", want "Push", "Pull" or "auto"',
  ]);
});

test("labels and taints are what Kubernetes accepts", () => {
  const labels = { "example.org/tier": "gold", gpu: true, "a b": "c" };
  const taints = [{ key: "maintenance", effect: "NoSchedul" }];
  expect(problemsOf({ members: [simulated("m1", { labels, taints })] })).toEqual([
    "members[0].labels.gpu: got true, want a label value: text of at most 63 letters, digits, '-', '_' and '.', in quotes",
    'members[0].labels["a b"]: this key is not allowed, want a label key such as "tier" or "example.org/tier"',
    'members[0].taints[0].effect: got "NoSchedul", want "NoSchedule" or "NoExecute"',
  ]);
});

test("a taint is there once, whatever its value", () => {
  const taint = (effect: string, value?: string) => ({ key: "gpu", effect, ...(value !== undefined && { value }) });
  const taints = [taint("NoSchedule"), taint("NoExecute", "a"), { key: "b", effect: "NoSchedule" }];
  expect(problemsOf({ members: [simulated("m1", { taints })] })).toEqual([]);
  const twice = [...taints, taint("NoExecute", "b"), taint("NoSchedule")];
  const message = (i: number, effect: string, before: number) =>
    `taints[${i}]: got "gpu" with effect "${effect}", want another key or effect: taints[${before}] has both`;
  expect(problemsOf({ members: [simulated("m1", { taints: twice })] })).toEqual([
    `members[0].${message(3, "NoExecute", 1)}`,
    `members[0].${message(4, "NoSchedule", 0)}`,
  ]);
  const memberGroups = [{ name: "g", defaults: { taints: twice }, members: [simulated("m1")] }];
  expect(problemsOf({ memberGroups })[0]).toBe(`memberGroups[0].defaults.${message(3, "NoExecute", 1)}`);
});

test("a label's key has a DNS name in front, or none", () => {
  const labels = { "a..b/tier": "gold", "example.org/": "gold", [`${"a".repeat(254)}/tier`]: "gold" };
  expect(problemsOf({ members: [simulated("m1", { labels })] })).toHaveLength(3);
});

test("a rotation is asked for by a text or a number, and its interval is a length of time", () => {
  const members = [simulated("m1", { rotate: 2, rotateEvery: "720h" }), simulated("m2", { rotate: "after the leak" })];
  expect(resolve({ members }, context).members.map(({ rotate, rotateEvery }) => [rotate, rotateEvery])).toEqual([
    ["2", "720h"],
    ["after the leak", undefined],
  ]);
  expect(
    problemsOf({ members: [simulated("m1", { rotate: true, rotateEvery: "30d" }), simulated("m2", { rotate: "" })] }),
  ).toEqual([
    'members[0].rotate: got true, want a text or a number such as 1 or "2026-11"',
    'members[0].rotateEvery: got "30d", want a length of time such as "30s", "10m" or "720h"',
    'members[1].rotate: got "", want a word such as "2026-11"',
  ]);
});

test("one that another stack is to have must not need anything of this one", () => {
  const credentials = { kind: "kubeconfig", kubeconfig: kubeconfig() };
  const far = { name: "far", syncMode: "Pull", credentials, handOver: true };
  const members = [simulated("m1", { handOver: true }), far, { ...far, name: "near", syncMode: "Push" }];
  expect(problemsOf({ members }, { now: new Date() })).toEqual([
    "members[0].handOver: got true, and the cluster is one that this stack simulates",
    'members[1].handOver: got true, want its agent in the member before (agent.kind "inMember"): one beside the control plane ends with this stack',
  ]);
});

test("members that may leave are named, as they are no members any more", () => {
  const members = [simulated("m1")];
  expect(resolve({ members, membersMayLeave: ["m2"] }, context).membersMayLeave).toEqual(["m2"]);
  expect(problemsOf({ members, membersMayLeave: [{ name: "m2" }, "M3"] })).toEqual([
    'membersMayLeave[0]: got an object, want a DNS-1123 name of at most 48 characters: lower-case letters, digits and "-", not first or last',
    'membersMayLeave[1]: got "M3", want a DNS-1123 name of at most 48 characters: lower-case letters, digits and "-", not first or last',
  ]);
});

test("nothing can stay in a cluster that ends with its member", () => {
  expect(problemsOf({ members: [simulated("m1", { preserveWorkloads: true })] })).toEqual([
    "members[0].preserveWorkloads: got true, want false: the cluster is one that this stack simulates, and ends with the member",
  ]);
});

test("a provider, a region or a zone that Karmada would refuse is refused before", () => {
  const fields = { provider: "Google Cloud", region: "eu central", zones: ["a", "-b"] };
  const form = "at most 63 letters, digits, '-', '_' and '.'";
  expect(problemsOf({ members: [simulated("m1", fields)] })).toEqual([
    `members[0].provider: got "Google Cloud", want the name of a provider such as "aws": ${form}`,
    `members[0].region: got "eu central", want the name of a region such as "eu-central-1": ${form}`,
    `members[0].zones[1]: got "-b", want the name of a zone such as "eu-central-1a": ${form}`,
  ]);
  const taken = { provider: "on-premises", region: "EU_1", zones: ["eu.1", "x".repeat(63)] };
  expect(problemsOf({ members: [simulated("m1", taken)] })).toEqual([]);
});
