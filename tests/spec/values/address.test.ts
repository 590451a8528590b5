import fc from "fast-check";
import { sampleKubeconfig } from "../../support/sample-kubeconfig.ts";
import { pair } from "../client-pair.ts";
import { problemsOf } from "../configuration.ts";

const kubeconfig = sampleKubeconfig();
const credentials = { kind: "kubeconfig", kubeconfig };
const hostKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"x".repeat(43)}`;

const onHosts = (loadBalancer: object, address = "10.0.0.11") => ({
  placement: {
    kind: "hosts",
    ssh: { privateKey: "a key" },
    hosts: [{ name: "host1", address, ssh: { hostKey } }],
    loadBalancer,
  },
  etcd: { kind: "managed", members: 1 },
});
const inPods = (exposure: object, more: object = {}) => ({
  placement: { kind: "kubernetes", credentials, exposure, ...more },
});
const nodePort = (more: object = {}) => ({ kind: "nodePort", addresses: ["10.0.0.11"], ...more });
const balancer = (more: object) => ({ kind: "loadBalancer", etcd: {}, ...more });
const agentAt = (server: string) => ({
  pki: { extraNames: ["*.example.org", "localhost.example.org"] },
  members: [{ name: "oslo", syncMode: "Pull", credentials, agent: { kind: "inMember", server } }],
});
const external = (endpoint: string) => ({
  etcd: { kind: "external", endpoints: [endpoint], ca: pair.certificate, certificate: pair.certificate, key: pair.key },
});
const overSsh = (more: object) => ({
  members: [{ name: "oslo", credentials: { kind: "ssh", address: "oslo", hostKey, password: "s3cr3t", ...more } }],
});
const s3 = (more: object) => ({ snapshots: { targets: [{ kind: "s3", bucket: "karmada-backup", ...more }] } });

/** Where a URL with a port is wanted: its path, a configuration that has one there, what is wanted. */
const endpoints: [path: string, (endpoint: string) => object, example: string][] = [
  [
    "placement.loadBalancer.endpoint",
    (endpoint) => onHosts({ kind: "external", endpoint }),
    "https://karmada.example.org:5443",
  ],
  ["placement.exposure.endpoint", (endpoint) => inPods(nodePort({ endpoint })), "https://karmada.example.org:5443"],
  ["members[0].agent.server", agentAt, "https://karmada.example.org:5443"],
  ["etcd.endpoints[0]", external, "https://etcd-1.example.org:2379"],
];

describe.each(endpoints)("%s", (path, config, example) => {
  test.each([
    "https://a.example.org:65536",
    "https://a.example.org:99999",
    "https://a.example.org:0",
    "https://a.example.org:00443",
    "https://10.0.0.256:5443",
    "https://010.0.0.1:5443",
    "https://10.0.0:5443",
    "https://a..example.org:5443",
    "https://xn--.example.org:5443",
    "https://a?b.example.org:5443",
  ])("is not %s", (endpoint) => {
    expect(problemsOf(config(endpoint))).toEqual([
      `${path}: got "${endpoint}", want an address with a port from 1 to 65535, such as "${example}"`,
    ]);
  });

  test.each([1, 443, 5443, 9999, 10000, 60000, 65535])("may have the port %d", (port) => {
    expect(problemsOf(config(`https://a.example.org:${port}`))).toEqual([]);
  });

  test("is never a reason to crash", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^https:\/\/[-a-z0-9.:_@[\]x%]{1,24}:\d{1,5}$/), (endpoint) => {
        for (const problem of problemsOf(config(endpoint))) expect(problem).toMatch(/: (got|missing)/);
      }),
    );
  });
});

test("etcd may be reached by an IPv6 address, by a name as Docker gives it and by one that is absolute", () => {
  for (const host of ["[fd00::11]", "etcd_1", "etcd.kube-system.svc.cluster.local."])
    expect(problemsOf(external(`https://${host}:2379`))).toEqual([]);
  expect(problemsOf(external("https://[fd00::11::1]:2379"))).toHaveLength(1);
});

test("what the certificate of the API servers is made for is no absolute name", () => {
  const endpoint = "https://karmada.example.org.:5443";
  expect(problemsOf(inPods(nodePort({ endpoint })))).toHaveLength(1);
  expect(problemsOf({ pki: { extraNames: ["karmada.example.org."] } })).toHaveLength(1);
});

const anAddress = 'an IPv4 address such as "10.0.0.11"';
const orName = "an IPv4 address or a DNS name";
const reached = "an IP address or a DNS name";

test.each<[path: string, (address: string) => object, want: string]>([
  ["placement.hosts[0].address", (address) => onHosts({ kind: "none" }, address), anAddress],
  ["placement.loadBalancer.vip", (vip) => onHosts({ kind: "haproxy", vip }), anAddress],
  ["placement.exposure.addresses[0]", (address) => inPods(nodePort({ addresses: [address] })), orName],
  ["placement.exposure.address", (address) => inPods(balancer({ address })), orName],
  ["placement.exposure.etcd.address", (address) => inPods(balancer({ etcd: { address } })), orName],
  ["placement.exposure.host", (host) => inPods({ kind: "ingress", host }), 'a DNS name such as "karmada.example.org"'],
  ["pki.extraNames[0]", (name) => ({ pki: { extraNames: [name] } }), "a host name or an IP address, without port"],
  ["members[0].credentials.address", (address) => overSsh({ address }), reached],
  ["members[0].credentials.through[0].address", (address) => overSsh({ through: [{ address, hostKey }] }), reached],
])("%s is no address that is none, and no name with nothing between two dots", (path, config, want) => {
  for (const address of ["10.0.0.256", "010.0.0.1", "10.00.0.1", "10.0.0", "1.2.3.4.5", "a..b", ".a", "a b", "-a"])
    expect([address, problemsOf(config(address))[0]]).toEqual([address, `${path}: got "${address}", want ${want}`]);
});

test.each([
  ["placement.exposure.addresses[0]", (address: string) => inPods(nodePort({ addresses: [address] }))],
  ["pki.extraNames[0]", (name: string) => ({ pki: { extraNames: [name] } })],
  ["members[0].credentials.address", (address: string) => overSsh({ address })],
])("%s may be an address, a name, and one that begins with digits", (_, config) => {
  for (const address of ["10.0.0.255", "0.0.0.0", "node1", "1node", "3.example.org", "karmada.example.org"])
    expect(problemsOf(config(address))).toEqual([]);
});

test("a member may be behind a proxy of HTTP or SOCKS, in which no password is written", () => {
  const behind = (proxy: string) => ({ members: [{ name: "m", credentials: { kind: "simulated" }, proxy }] });
  for (const proxy of ["http://tunnel:8088", "https://10.0.0.1", "socks5://[fd00::1]:1080"])
    expect(problemsOf(behind(proxy))).toEqual([]);
  for (const proxy of ["tunnel:8088", "ftp://tunnel", "http://me:secret@tunnel", "http://tunnel:0", "http://tunnel/a"])
    expect(problemsOf(behind(proxy))).toEqual([
      `members[0].proxy: got "${proxy.replace("me:secret@", "***@")}", want an address such as "http://tunnel.example.org:8088"`,
    ]);
});

test.each([
  ["an addon", { kind: "manifest", url: "https://ci:t0ken@example.org/install.yaml" }, "url"],
  ["a chart", { kind: "chart", repository: "https://ci:t0ken@example.org/charts" }, "repository"],
])("an address of %s in which a login is written is refused without repeating that", (_, source, field) => {
  const problems = problemsOf({ addons: [{ name: "a", source, target: { kind: "controlPlane" } }] });
  expect(problems).toEqual([
    expect.stringMatching(
      `^addons\\[0\\]\\.source\\.${field}: got "https://\\*\\*\\*@example.org/[a-z.]+", want an address `,
    ),
  ]);
});

test("headers for a proxy are named as headers are, and their values are shown nowhere", () => {
  const behind = (proxyHeader: object) => ({
    members: [{ name: "m", credentials: { kind: "simulated" }, proxy: "http://tunnel:8088", proxyHeader }],
  });
  expect(problemsOf(behind({ "Proxy-Authorization": "Basic bWU6cDRzcw==" }))).toEqual([]);
  for (const wrong of [{ "Proxy Authorization": "p4ss" }, { "Proxy-Authorization": { p4ss: "p4ss" } }]) {
    const problems = problemsOf(behind(wrong));
    expect(problems).toEqual([expect.stringMatching(/^members\[0\]\.proxyHeader/)]);
    expect(problems.join()).not.toContain("p4ss");
  }
});

test("an IPv6 address is one", () => {
  for (const [path, config, want] of [
    [
      "pki.extraNames[0]",
      (name: string) => ({ pki: { extraNames: [name] } }),
      "a host name or an IP address, without port",
    ],
    ["members[0].credentials.address", (address: string) => overSsh({ address }), reached],
  ] as const) {
    for (const address of ["fd00::1", "::1", "::ffff:10.0.0.1"]) expect(problemsOf(config(address))).toEqual([]);
    for (const address of [":::", "fd00::1::2", "12345::"])
      expect(problemsOf(config(address))).toEqual([`${path}: got "${address}", want ${want}`]);
  }
});

test("networks that are let in are networks", () => {
  const ranges = ["10.0.0.0/33", "10.0.0.256/8", "1.2/8", "010.0.0.0/8", "10.0.0.0/08", "10.0.0.0/8", "0.0.0.0/0"];
  const problem = (path: string, i: number) =>
    `placement.exposure.${path}[${i}]: got "${ranges[i]}", want a network such as "10.0.0.0/8"`;
  expect(problemsOf(inPods(balancer({ sourceRanges: ranges, etcd: { sourceRanges: ["a/8"] } })))).toEqual([
    ...[0, 1, 2, 3, 4].map((i) => problem("sourceRanges", i)),
    'placement.exposure.etcd.sourceRanges[0]: got "a/8", want a network such as "10.0.0.0/8"',
  ]);
});

test("DNS domains and names of objects have something between two dots", () => {
  expect(problemsOf(inPods(nodePort(), { clusterDomain: "cluster..local" }))).toEqual([
    'placement.clusterDomain: got "cluster..local", want a DNS name such as "cluster.local"',
  ]);
  expect(problemsOf(inPods({ kind: "ingress", host: "k.example.org", etcdDomain: `${"a".repeat(64)}.org` }))).toEqual([
    expect.stringMatching(/^placement\.exposure\.etcdDomain: got .*, want a DNS name such as "karmada\.example\.org"$/),
  ]);
  const workloads = [{ apiVersion: "apps/v1", kind: "Deployment", name: "a" }];
  const policies = [{ kind: "WorkloadRebalancer", name: "a..b", workloads }];
  expect(problemsOf({ policies })[0]).toBe(
    'policies[0].name: got "a..b", want a name of lower-case letters, digits, "-" and "."',
  );
  expect(problemsOf(s3({ bucket: "a..b" }))).toEqual([
    'snapshots.targets[0].bucket: got "a..b", want the name of a bucket such as "karmada-backup"',
  ]);
});

test("a loopback address is one", () => {
  const local = (address: string) => ({ placement: { kind: "local", address } });
  expect(problemsOf(local("127.0.0.2"))).toEqual([]);
  for (const address of ["127.0.0.256", "127.00.0.1"])
    expect(problemsOf(local(address))).toEqual([
      `placement.address: got "${address}", want a loopback address such as "127.0.0.1"`,
    ]);
});

test("where an address may leave its port to the scheme, one that it has is a port", () => {
  for (const port of ["", ":9000"]) {
    expect(problemsOf(s3({ endpoint: `http://s3.example.org${port}` }))).toEqual([]);
    expect(problemsOf(overSsh({ server: `https://[fd00::1]${port}/` }))).toEqual([]);
  }
  expect(problemsOf(s3({ endpoint: "https://s3.example.org:65536" }))).toEqual([
    'snapshots.targets[0].endpoint: got "https://s3.example.org:65536", want an address such as "https://s3.example.org"',
  ]);
  expect(problemsOf(overSsh({ server: "https://10.0.0.300:6443" }))).toEqual([
    'members[0].credentials.server: got "https://10.0.0.300:6443", want an address such as "https://10.0.0.11:6443"',
  ]);
});
