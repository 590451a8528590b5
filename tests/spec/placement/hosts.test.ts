import { keyLine } from "../../../spec/hooks.ts";
import { resolve } from "../../../spec/resolve.ts";
import { context, problemsOf, simulated } from "../configuration.ts";

const hostKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"x".repeat(43)}`;
const host = (number: number, more: object = {}) => ({
  name: `host${number}`,
  address: `10.0.0.1${number}`,
  ssh: { hostKey },
  ...more,
});
const three = [host(1), host(2), host(3)];
const placement = (more: object = {}) => ({ kind: "hosts", ssh: { privateKey: "a key" }, hosts: three, ...more });

const events = { name: "events", resources: ["/events"], members: 3 };
const leases = { name: "leases", resources: ["coordination.k8s.io/leases"] };
const split = (...overrides: object[]) => ({ kind: "managed", members: 1, overrides });

test("etcds for some kinds of objects have their members where those of the first one of the same numbers belong, or on hosts of choice", () => {
  expect(problemsOf({ placement: placement(), etcd: split(events, leases) })).toEqual([]);
  const hosts = [...three, host(4, { etcd: "none", etcdDirectory: "/mnt/etcd" })];
  const chosen = placement({ hosts, components: { "etcd-leases": ["host4"] } });
  expect(problemsOf({ placement: chosen, etcd: split(events, leases) })).toEqual([]);
});

test.each([
  [
    { hosts: [host(1), host(2, { etcd: "none" }), host(3, { etcd: "none" })] },
    events,
    "etcd.overrides[0].members: no host for etcd-events-1, etcd-events-2, want one for each: that of the member of etcd of the same number, or those in placement.components.etcd-events",
  ],
  [
    { components: { "etcd-events": ["host1", "host2"] } },
    events,
    "placement.components.etcd-events: got 2, want 3: one for each member",
  ],
  [
    { components: { "etcd-leasses": ["host1"] } },
    leases,
    'placement.components.etcd-leasses: there is no such component, want "etcd-leases"',
  ],
  [
    {},
    { ...leases, name: "proxy" },
    'etcd.overrides[0].name: got "proxy", want another name: etcd-proxy is a program on hosts',
  ],
])("%o is named with an etcd of its own for %o", (more, override, said) => {
  expect(problemsOf({ placement: placement(more), etcd: split(override) })).toEqual([said]);
});

test("hosts of an etcd of its own are not called a component that there is none of while its entry has problems of its own", () => {
  const wrong = { ...events, resources: ["events"] };
  const chosen = placement({ components: { "etcd-events": ["host1", "host2", "host3"] } });
  expect(problemsOf({ placement: chosen, etcd: split(wrong) })).toEqual([
    'etcd.overrides[0].resources[0]: got "events", want "/events" or "coordination.k8s.io/leases"',
  ]);
});

test("three hosts are a whole deployment: a member of etcd and every program on each", () => {
  const { placement: found, controlPlane, etcd } = resolve({ placement: placement() }, context);
  const login = { kind: "ssh", hostKey, user: "root", port: 22, privateKey: "a key", through: [] };
  expect(found).toEqual({
    kind: "hosts",
    components: {},
    hooks: [],
    etcdIo: { class: "best-effort", priority: 0 },
    loadBalancer: { kind: "none" },
    hosts: [1, 2, 3].map((n) => ({
      name: `host${n}`,
      etcd: `etcd-${n - 1}`,
      controlPlane: true,
      login: { ...login, address: `10.0.0.1${n}` },
    })),
  });
  expect(etcd).toMatchObject({ members: ["etcd-0", "etcd-1", "etcd-2"] });
  expect(controlPlane["karmada-scheduler"].replicas).toBe(3);
  expect(controlPlane["kube-apiserver"].replicas).toBe(3);
});

test("a mirror that hosts download from is an address, with the authority of its certificate where it is nobody's", () => {
  const ca = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n";
  for (const mirror of [
    { url: "https://mirror.example.org/karmada/1.18", ca },
    { url: "http://10.0.0.9:8080" },
    { url: "https://mirror.example.org/" },
  ])
    expect(resolve({ placement: placement({ mirror }) }, context).placement).toMatchObject({ mirror });
  const refused = (mirror: object) => problemsOf({ placement: placement({ mirror }) });
  for (const [url, shown = url] of [
    ["ftp://mirror.example.org"],
    ["https://me:pass@mirror.example.org", "https://***@mirror.example.org"],
    ["https://mirror.example.org?x"],
    ["/mirror"],
  ] as const)
    expect(refused({ url })).toEqual([
      `placement.mirror.url: got "${shown}", want an address such as "https://mirror.example.org/karmada"`,
    ]);
  expect(refused({ url: "https://mirror.example.org", ca: "x" })).toEqual([
    'placement.mirror.ca: got "x", want a certificate in PEM form',
  ]);
});

test("a host's own login goes before what all have in common, field by field, and so does that of a host in between", () => {
  const through = [{ address: "gate.example.org", hostKey, user: "guest" }];
  const hosts = [host(1, { ssh: { hostKey, user: "karmada", password: "secret", through } }), host(2), host(3)];
  const { placement: found } = resolve(
    { placement: placement({ ssh: { port: 2222, agent: "/agent" }, hosts }) },
    context,
  );
  expect(found).toMatchObject({
    hosts: [
      {
        login: {
          user: "karmada",
          port: 2222,
          password: "secret",
          agent: "/agent",
          through: [{ address: "gate.example.org", user: "guest", port: 2222, agent: "/agent" }],
        },
      },
      { login: { user: "root", port: 2222, agent: "/agent", through: [] } },
      {},
    ],
  });
});

test("a host without a login is this machine; etcd and the control plane can be on hosts of their own", () => {
  const hosts = [host(1, { etcd: "none" }), host(2, { ssh: undefined, etcd: "etcd-4", controlPlane: false })];
  const { placement: found, controlPlane } = resolve(
    { placement: placement({ hosts }), etcd: { kind: "managed", members: ["etcd-4"] } },
    context,
  );
  expect(found).toMatchObject({ hosts: [{ controlPlane: true }, { etcd: "etcd-4", controlPlane: false }] });
  expect(found).toMatchObject({ hosts: [{}, { login: { kind: "local", address: "10.0.0.12" } }] });
  expect(found).not.toHaveProperty("hosts.0.etcd");
  expect(controlPlane["karmada-webhook"].replicas).toBe(1);
});

test.each(["/home", "/etc/x", "/var/lib/karmada/x", "/var/tmp/x", "/mnt/../etc", "/mnt/a b", "/", "mnt", "/mnt/"])(
  "data of etcd are not put into %p",
  (etcdDirectory) => {
    const hosts = [host(1, { etcdDirectory }), host(2), host(3)];
    expect(problemsOf({ placement: placement({ hosts }) })[0]).toMatch(/^placement.hosts\[0\].etcdDirectory: got /);
  },
);

test.each(["/mnt/etcd", "/etcd", "/var/lib/etcd", "/data/etcd-0.d", "/homes", "/var/lib/karmada-etcd"])(
  "data of etcd can be put into %p",
  (etcdDirectory) =>
    expect(problemsOf({ placement: placement({ hosts: [host(1, { etcdDirectory }), host(2), host(3)] }) })).toEqual([]),
);

test("the load balancer's name is in the API servers' certificates", () => {
  const loadBalancer = { kind: "external", endpoint: "https://karmada.example.org:5443" };
  const { pki } = resolve({ placement: placement({ loadBalancer }), pki: { extraNames: ["a.example.org"] } }, context);
  expect(pki.extraNames).toEqual(["a.example.org", "karmada.example.org"]);
});

test("scheduled snapshots are not written to where programs on hosts see nothing; where this machine takes them, they may", () => {
  const targets = [
    { kind: "local", directory: "/home/backup" },
    { kind: "nfs", directory: "/mnt//../root" },
    { kind: "local", directory: "/home-backup" },
  ];
  const schedule = { cron: "15 * * * *", metricsFile: "/var/tmp/etcd.prom" };
  const problems = (more: object) => problemsOf({ placement: placement(), snapshots: { targets, ...more } });
  const hidden = "/home, /root, /run/user, /tmp, /var/tmp";
  const there = 'with placement.kind "hosts" and a schedule: what takes the snapshots there sees nothing of it';
  expect(problems({ schedule, scratch: "~/scratch" })).toEqual([
    `snapshots.targets[0].directory: got "/home/backup", want one that is not below ${hidden} ${there}`,
    `snapshots.targets[1].directory: got "/mnt//../root", want one that is not below ${hidden} ${there}`,
    `snapshots.schedule.metricsFile: got "/var/tmp/etcd.prom", want one that is not below ${hidden} ${there}`,
    `snapshots.scratch: got "~/scratch", which is /home/operator/scratch, want one that is not below /home, /root, /run/user ${there}`,
  ]);
  expect(problems({ scratch: "~/scratch" })).toEqual([]);
  expect(problems({ targets: targets.slice(2), schedule: { cron: "15 * * * *" }, scratch: "/tmp" })).toEqual([]);
});

describe("members of which one is called as the other with karmada- in front", () => {
  const kubeconfig = `apiVersion: v1
clusters: [{ name: a, cluster: { server: https://a.example.org } }]
users: [{ name: a, user: { token: t } }]
contexts: [{ name: a, context: { cluster: a, user: a } }]
current-context: a
`;
  const member = (name: string, more: object = {}) => ({
    ...{ name, credentials: { kind: "kubeconfig", kubeconfig } },
    ...more,
  });
  const pull = { syncMode: "Pull" };
  const estimators = { controlPlane: { "karmada-scheduler-estimator": { enabled: true } } };
  const problems = (members: object[], more: object = {}, served: object[] = []) =>
    problemsOf({ placement: placement(), members, ...more }, { served });
  const said = (where: string, program: string) =>
    `${where}: got "karmada-east" beside "east", want another name for one of them: on hosts the ${program} of either would be the service karmada-east-${program}`;

  test("are refused where both have an estimator, or both an agent on hosts", () => {
    expect(problems([member("karmada-east", pull), member("east", pull)])).toEqual([
      said("members[0].name", "karmada-agent"),
    ]);
    expect(problems([member("east"), member("karmada-east", pull)], estimators)).toEqual([
      said("members[1].name", "karmada-scheduler-estimator"),
    ]);
  });

  test("of a team count as well", () => {
    const served = [{ estimators: { "karmada-east": "kubeconfig" } }];
    expect(problems([member("east")], estimators, served)).toEqual([
      said("members[0].name", "karmada-scheduler-estimator"),
    ]);
    expect(problems([], estimators, [...served, { estimators: { east: "kubeconfig" } }])).toEqual([
      said("teams", "karmada-scheduler-estimator"),
    ]);
    expect(problems([member("east")], {}, served)).toEqual([]);
  });

  test("are taken where not both have a program on hosts, and elsewhere", () => {
    expect(problems([member("east"), member("karmada-east", pull)])).toEqual([]);
    const inMember = { ...pull, agent: { kind: "inMember", server: "https://10.0.0.11:6443" } };
    expect(problems([member("east", inMember), member("karmada-east", pull)])).toEqual([]);
    const elsewhere = { placement: { kind: "local" } };
    expect(problems([member("east", pull), member("karmada-east", pull)], elsewhere)).toEqual([]);
  });

  test("are no two where the first begins so itself", () =>
    expect(problems([member("karmada-east", pull), member("karmada-karmada-east", pull)])).toEqual([]));
});

test("everything that speaks against the hosts is said at once", () => {
  const hosts = [
    host(1),
    host(2, { name: "host1", address: "10.0.0.11" }),
    host(3, { etcd: "etcd-0", ssh: undefined }),
    host(4, { etcd: "etcd-6", ssh: undefined }),
  ];
  expect(
    problemsOf({
      placement: placement({ ssh: { passphrase: "x" }, hosts }),
      controlPlane: { "karmada-scheduler": { replicas: 5 }, "karmada-scheduler-estimator": { enabled: true } },
      members: [{ ...simulated("m1"), syncMode: "Pull" }],
      snapshots: { targets: [{ kind: "local", directory: "/backup" }], schedule: { cron: "15 * * * *" } },
    }),
  ).toEqual([
    'placement.hosts[1].name: got "host1", want another name: hosts[0] has it',
    'placement.hosts[1].address: got "10.0.0.11", want another address: hosts[0] has it',
    "placement.hosts[3].ssh: missing, and hosts[2] is this machine already",
    "placement.hosts[0].ssh: nothing to log in with, want a privateKey, a password or an agent, here or in placement.ssh",
    "placement.hosts[1].ssh: nothing to log in with, want a privateKey, a password or an agent, here or in placement.ssh",
    'placement.hosts[2].etcd: got "etcd-0", want another member: hosts[0] has it',
    'placement.hosts[3].etcd: got "etcd-6", want none or one of etcd.members (etcd-0, etcd-1, etcd-2)',
    "etcd.members: no host for etcd-2, want one for each: name it in a host's etcd, or name in etcd.members those that hosts have",
    "controlPlane.karmada-scheduler.replicas: got 5, want 4 or fewer: each has a control-plane host to itself",
    'members[0].credentials.kind: got "simulated", want "kubeconfig", "kubeconfigFile", "stack" or "ssh" with placement.kind "hosts": a simulated cluster is made of processes of this machine, which the hosts cannot reach',
  ]);
});

test.each([
  ["no host", { hosts: [] }, "placement.hosts: got an empty list, want at least one"],
  [
    "no host for the control plane",
    { hosts: three.map((each) => ({ ...each, controlPlane: false })) },
    "placement.hosts: got no host with controlPlane: true, want at least one",
  ],
  [
    "an address that is none",
    { hosts: [host(1, { address: "host1" }), host(2), host(3)] },
    'placement.hosts[0].address: got "host1", want an IPv4 address such as "10.0.0.11"',
  ],
  [
    "an IPv6 address, which is not there yet,",
    { hosts: [host(1, { address: "fd00::11" }), host(2), host(3)] },
    'placement.hosts[0].address: got "fd00::11", want an IPv4 address such as "10.0.0.11"',
  ],
  [
    "a host key that is none",
    { hosts: [host(1, { ssh: { hostKey: "any" } }), host(2), host(3)] },
    'placement.hosts[0].ssh.hostKey: got "any", want a line of known_hosts, or a fingerprint such as "SHA256:..." (ssh-keyscan shows the first, ssh-keygen -l the second)',
  ],
  [
    "a fingerprint with a letter too many",
    { hosts: [host(1, { ssh: { hostKey: `SHA256:${"x".repeat(44)}` } }), host(2), host(3)] },
    `placement.hosts[0].ssh.hostKey: got "SHA256:${"x".repeat(44)}", want a line of known_hosts, or a fingerprint such as "SHA256:..." (ssh-keyscan shows the first, ssh-keygen -l the second)`,
  ],
  [
    "a component that there is none of",
    { components: { "karmada-schedular": ["host1"] } },
    'placement.components.karmada-schedular: there is no such component, want "karmada-scheduler"',
  ],
  [
    "an agent that is no socket",
    { ssh: { agent: "$SSH_AUTH_SOCK" } },
    'placement.ssh.agent: got "$SSH_AUTH_SOCK", want the path of a socket such as "/run/user/1000/agent", or "SSH_AUTH_SOCK"',
  ],
  [
    "a component with no host left",
    { components: { "karmada-scheduler": [] } },
    "placement.components.karmada-scheduler: got an empty list, want at least one",
  ],
  [
    "a host of a component that there is none of",
    { components: { "karmada-scheduler": ["host9"] } },
    'placement.components.karmada-scheduler[0]: got "host9", want one of placement.hosts (host1, host2, host3)',
  ],
  [
    "a host of a component that is there already",
    { components: { "karmada-scheduler": ["host1", "host1"] } },
    'placement.components.karmada-scheduler[1]: got "host1", want another host: it is there at 0 already',
  ],
  [
    "a directory for etcd's data that its unit could not see",
    { hosts: [host(1, { etcdDirectory: "/home/etcd" }), host(2), host(3)] },
    'placement.hosts[0].etcdDirectory: got "/home/etcd", want an absolute path without spaces, such as "/mnt/etcd"; not below /etc, /home, /root, /run, /tmp, /usr, /opt/karmada or /var/lib/karmada',
  ],
  [
    "a directory for the data of a member that is not there",
    { hosts: [host(1), host(2), host(3), host(4, { etcdDirectory: "/mnt/etcd" })] },
    'placement.hosts[3].etcdDirectory: got "/mnt/etcd", and no member of etcd is there',
  ],
  [
    "a priority that there is none of",
    { etcdIo: { class: "idle", priority: 8 } },
    'placement.etcdIo.class: got "idle", want "best-effort" or "realtime"',
  ],
  [
    "a passphrase for nothing",
    { ssh: { passphrase: "x", password: "y" } },
    "placement.hosts[0].ssh: there is a passphrase, but no privateKey that it opens",
  ],
])("%s is refused", (_, more, problem) => {
  expect(problemsOf({ placement: placement(more) })[0]).toBe(problem);
});

test("hooks are run once by one name, on hosts there are, whose keys are known as a whole", () => {
  const backup = { name: "backup", when: "before", phase: "etcd", run: "true" };
  const fingerprint = `SHA256:${"A".repeat(43)}`;
  const hosts = [host(1, { ssh: { hostKey: fingerprint } }), host(2), host(3)];
  const hooks = [
    { ...backup, hosts: ["host1", "host9"], environment: { "NO NAME": "s3cr3t", TOKEN: ["s3cr3t"] } },
    { ...backup, when: "during", phase: "sleep" },
  ];
  const problems = problemsOf({ placement: placement({ hosts, hooks }) });
  expect(problems.join()).not.toContain("s3cr3t");
  expect(problems).toEqual([
    'placement.hooks[0].environment["NO NAME"]: this key is not allowed, want the name of a variable such as "TOKEN"',
    "placement.hooks[0].environment.TOKEN: got something else (not shown: a secret), want a text, in quotes",
    'placement.hooks[1].when: got "during", want "before" or "after"',
    'placement.hooks[1].phase: got "sleep", want "etcd", "control-plane" or "members"',
  ]);
  expect(
    problemsOf({ placement: placement({ hosts, hooks: [{ ...backup, hosts: ["host1", "host9"] }, backup] }) }),
  ).toEqual([
    'placement.hooks[1].name: got "backup", want another name: hooks[0] has it',
    'placement.hooks[0].hosts[1]: got "host9", want one of placement.hosts (host1, host2, host3)',
    "placement.hosts[0].ssh.hostKey: got a fingerprint, want the key itself with hooks (ssh-keyscan shows it)",
  ]);
  const elsewhere = { ...backup, hosts: ["host2"] };
  expect(problemsOf({ placement: placement({ hosts, hooks: [elsewhere] }) })).toEqual([]);
});

test("hooks are given the one key of a host that their plugin can ask for, whatever stands before it", () => {
  const backup = { name: "backup", when: "before", phase: "etcd", run: "true" };
  const rsa = `10.0.0.11 ssh-rsa AAAAB3NzaC1yc2E${"x".repeat(60)}`;
  const ecdsa = `10.0.0.11 ecdsa-sha2-nistp256 AAAAE2VjZHNh${"x".repeat(60)}`;
  const other = hostKey.replaceAll("x", "y");
  expect(keyLine(`${rsa}\n${ecdsa}\n10.0.0.11 ${hostKey} root@host1`)).toBe(hostKey);
  expect(keyLine(`${rsa}\n${ecdsa}`)).toBe(ecdsa.replace("10.0.0.11 ", ""));
  expect(keyLine(`# 10.0.0.11 ${other}\n${hostKey}`)).toBe(hostKey);
  const of = (given: string) =>
    problemsOf({
      placement: placement({ hosts: [host(1, { ssh: { hostKey: given } }), host(2), host(3)], hooks: [backup] }),
    });
  expect(of(`${rsa}\n${ecdsa}`)).toEqual([]);
  expect(of(`${hostKey}\n10.0.0.11 ${hostKey}`)).toEqual([]);
  expect(of(rsa)).toEqual([
    "placement.hosts[0].ssh.hostKey: got an RSA key alone, want one of another kind, too, with hooks: @pulumi/command asks for RSA keys in a way that current servers refuse (ssh-keyscan -t ed25519 10.0.0.11 shows another)",
  ]);
  expect(of(`${hostKey}\n${other}`)).toEqual([
    "placement.hosts[0].ssh.hostKey: got 2 keys of the kind ssh-ed25519, want one with hooks: @pulumi/command accepts no other (ssh-keyscan -t ed25519 10.0.0.11 shows the one that is in use)",
  ]);
});

test("a number of hosts that cannot each have a member is named, with the number that can", () => {
  expect(problemsOf({ placement: placement({ hosts: [host(1), host(2)] }) })).toEqual([
    "etcd.members: no host for etcd-2, want one for each: name it in a host's etcd, or have 1 member",
  ]);
});

test("hosts without a member of etcd do not count, and with others than there are they name those", () => {
  const without = host(4, { etcd: "none" });
  const said = (...hosts: object[]) => problemsOf({ placement: placement({ hosts }) });
  expect(said(host(1), host(3, { etcd: "etcd-2" }), without)).toEqual([
    "etcd.members: no host for etcd-1, want one for each: name it in a host's etcd, or have 1 member",
  ]);
  expect(said(host(1, { etcd: "none" }), without)).toEqual([
    "etcd.members: no host for etcd-0, etcd-1, etcd-2, want one for each: name it in a host's etcd",
  ]);
  const stay = [host(1), host(3, { etcd: "etcd-2" }), host(4, { etcd: "etcd-3" })];
  expect(said(...stay)).toEqual([
    'placement.hosts[2].etcd: got "etcd-3", want none or one of etcd.members (etcd-0, etcd-1, etcd-2)',
    "etcd.members: no host for etcd-1, want one for each: name it in a host's etcd, or name in etcd.members those that hosts have",
  ]);
  const members = ["etcd-0", "etcd-2", "etcd-3"];
  expect(problemsOf({ placement: placement({ hosts: stay }), etcd: { kind: "managed", members } })).toEqual([]);
});

test("no credential is ever shown", () => {
  const problems = problemsOf({ placement: placement({ ssh: { privateKey: ["s3cr3t"], password: { s3cr3t: 1 } } }) });
  expect(problems).toHaveLength(2);
  expect(problems.join()).not.toContain("s3cr3t");
});
