import { parseFacts, type Facts } from "../../../lib/hosts/facts.ts";
import type { HostNeeds } from "../../../lib/hosts/finding.ts";
import { judge, report } from "../../../lib/hosts/preflight.ts";

const gibi = 2 ** 30;

const good = (i: number): Facts => ({
  system: "Linux",
  os: "debian 12",
  architecture: process.arch === "x64" ? "x86_64" : "aarch64",
  machine: `machine-${i}`,
  init: "systemd",
  systemd: 252,
  memory: 8 * gibi,
  freeMemory: 4 * gibi,
  disk: { "/etc/karmada": 20 * gibi, "/var/lib/karmada": 20 * gibi, "/opt/karmada": 20 * gibi },
  fsyncMilliseconds: 2,
  without: [],
  uninstalled: [],
  unheard: [],
  leftovers: [],
  running: [],
  listeners: [{ address: "0.0.0.0", port: 22, process: "sshd (pid 93)" }],
  selinux: "none",
  apparmor: false,
  firewalls: [],
  addresses: [
    { address: "127.0.0.1/8", interface: "lo" },
    { address: `10.0.0.1${i}/24`, interface: "eth0" },
  ],
  keepalived: false,
  unfiltered: false,
  reach: { "10.0.0.12:2380": "open" },
  names: {},
  clock: { ahead: 0, within: 0.01 },
});

const needs = (i: number): HostNeeds => ({
  name: `host${i}`,
  address: `10.0.0.1${i}`,
  known: true,
  ports: { "karmada-apiserver secure": 6443, "etcd-0 client": 2379 },
  etcd: true,
});

const found = (...changes: readonly Partial<Facts>[]) => foundOn({}, ...changes);
const foundOn = (need: Partial<HostNeeds>, ...changes: readonly Partial<Facts>[]) =>
  judge(
    "prod",
    changes.map((change, i) => ({ needs: { ...needs(i + 1), ...need }, facts: { ...good(i + 1), ...change } })),
  );

test("says of each host what keeps it from its mirror", () => {
  const mirror = { url: "https://mirror.example.org/karmada" };
  const answers = ["answers", "Could not resolve host: mirror.example.org", "neither curl nor GNU wget"];
  const looked = answers.map((answer, i) => ({
    needs: { ...needs(i + 1), mirror },
    facts: { ...good(i + 1), mirror: answer },
  }));
  expect(report(judge("prod", looked))).toBe(
    [
      "host2 (10.0.0.12): cannot download from https://mirror.example.org/karmada: Could not resolve host: mirror.example.org",
      "host3 (10.0.0.13): has neither curl nor GNU wget for placement.mirror\napt-get install curl",
    ].join("\n"),
  );
});

test("has nothing to say against good hosts", () => expect(found({}, {}, {})).toEqual([]));

test.each<[string, Partial<Facts>, string]>([
  ["another operating system", { system: "FreeBSD", init: "", systemd: 0 }, "runs FreeBSD, want Linux"],
  ["no systemd", { init: "sh" }, "its first process is sh, want systemd"],
  ["an old systemd", { systemd: 239 }, "has systemd 239, want 247 or newer"],
  [
    "another architecture",
    { architecture: "riscv64" },
    `its architecture is riscv64, the programs are built for ${process.arch === "x64" ? "x86_64" : "aarch64"}`,
  ],
  ["a missing program", { without: ["ss", "useradd"] }, "has no ss, no useradd"],
  [
    "no plugin of a key service",
    { unheard: ["/run/kms/vault.sock"] },
    "has no socket /run/kms/vault.sock\nstart what listens there: the plugin of controlPlane.encryption",
  ],
  [
    "a missing package of its system",
    { uninstalled: ["/usr/sbin/haproxy", "/usr/sbin/keepalived"] },
    "has no /usr/sbin/haproxy, no /usr/sbin/keepalived\napt-get install haproxy keepalived",
  ],
  [
    "a missing package of another system",
    { os: "rocky 9.4", uninstalled: ["/usr/sbin/haproxy"] },
    "has no /usr/sbin/haproxy\ndnf install haproxy",
  ],
  [
    "a full disk",
    { disk: { "/opt/karmada": gibi, "/var/lib/karmada": 20 * gibi } },
    "/opt/karmada: 1.0Gi free, want 2.0Gi",
  ],
  [
    "a taken port",
    { listeners: [{ address: "::", port: 6443, process: "nginx (pid 512)" }] },
    "port 6443 (karmada-apiserver secure) is in use by nginx (pid 512)",
  ],
  [
    "another deployment",
    { deployment: "dev", leftovers: ["/etc/karmada"] },
    'deployment "dev" has it\ndestroy that one first, or use another host',
  ],
  [
    "leftovers",
    { leftovers: ["/var/lib/karmada"] },
    "something of an earlier installation is left: /var/lib/karmada\nremove it, or move it away if its data is still wanted",
  ],
  [
    "a wall between hosts",
    { reach: { "10.0.0.12:2380": "no answer within 8 s" }, firewalls: ["nftables"] },
    "cannot reach 10.0.0.12:2380: no answer within 8 s\nnftables runs on it",
  ],
  ["a name that does not resolve", { names: { "vip.example.org": "" } }, "cannot resolve vip.example.org"],
])("refuses %s", (_, change, message) =>
  expect(foundOn({ known: false }, change)).toEqual([{ host: "host1 (10.0.0.11)", severity: "error", message }]),
);

test("looks at the disk that etcd will have its data on, and wants it to be there", () => {
  const data = "/mnt/etcd/etcd-0";
  const looked = (change: Partial<Facts>) =>
    report(judge("prod", [{ needs: { ...needs(1), etcdData: data }, facts: { ...good(1), ...change } }]));
  const disk = { ...good(1).disk, "/var/lib/karmada": 0, [data]: 20 * gibi };
  expect(looked({ disk })).toBe("");
  expect(looked({ disk: { ...disk, [data]: gibi } })).toBe(`host1 (10.0.0.11): ${data}: 1.0Gi free, want 2.0Gi`);
  expect(looked({ disk, absent: "/mnt/etcd" })).toBe(
    "host1 (10.0.0.11): has no directory /mnt/etcd for etcd's data\nmount its disk there, or make it",
  );
});

test("warns of a disk that is slow for etcd, with the figure, and of little memory", () =>
  expect(found({ fsyncMilliseconds: 34.56, memory: gibi })).toEqual([
    { host: "host1 (10.0.0.11)", severity: "warning", message: "has 1.0Gi of memory, a control plane wants 1.5Gi" },
    {
      host: "host1 (10.0.0.11)",
      severity: "warning",
      message: "its disk is slow for etcd: 34.6 ms a write, want 10 ms or less",
    },
  ]));

test("warns of SELinux, which may not let programs run that it does not know", () => {
  expect(found({ selinux: "permissive" })).toEqual([]);
  expect(report(found({}, { selinux: "enforcing" }))).toBe(
    "host2 (10.0.0.12): SELinux is enforcing, and knows nothing of /opt/karmada\nif units end with 203/EXEC: semanage fcontext -a -t bin_t '/opt/karmada(/.*)?' && restorecon -R /opt/karmada",
  );
});

test("goes on on a host that is its own, whatever of it listens there", () =>
  expect(
    found({
      deployment: "prod",
      leftovers: ["/etc/karmada"],
      disk: { "/opt/karmada": gibi, "/var/lib/karmada": 20 * gibi },
      listeners: [{ address: "::", port: 6443, process: "kube-apiserver (pid 9)" }],
    }),
  ).toEqual([]));

test("goes on on a host that its state knows and that has lost the mark of whose it is, but for ports of others", () => {
  const etcd = { address: "::", port: 2379, process: "etcd (pid 7)", unit: "karmada-etcd-0.service" };
  const unmarked = {
    leftovers: ["/etc/karmada", "/var/lib/karmada"],
    running: ["karmada-etcd-0.service"],
    disk: { "/opt/karmada": gibi, "/var/lib/karmada": 20 * gibi },
    listeners: [etcd],
  };
  expect(found(unmarked)).toEqual([]);
  expect(report(found({ ...unmarked, listeners: [{ address: "::", port: 2379, process: "other (pid 8)" }] }))).toBe(
    "host1 (10.0.0.11): port 2379 (etcd-0 client) is in use by other (pid 8)",
  );
  expect(foundOn({ known: false }, unmarked).map(({ message }) => message.split("\n")[0])).toEqual([
    "/opt/karmada: 1.0Gi free, want 2.0Gi",
    "something of an earlier installation is left: /etc/karmada, /var/lib/karmada",
    "port 2379 (etcd-0 client) is in use by etcd (pid 7)",
  ]);
});

test("leaves alone what runs under its own name, and its state knows nothing of", () => {
  const mine = {
    deployment: "prod",
    leftovers: ["/etc/karmada"],
    running: ["karmada-etcd-0.service", "karmada-apiserver-0.service"],
  };
  const seen = (known: boolean, facts: Partial<Facts>) =>
    report(judge("prod", [{ needs: { ...needs(1), known }, facts: { ...good(1), ...facts } }]));
  expect(seen(true, mine)).toBe("");
  expect(seen(false, { ...mine, running: [] })).toBe("");
  expect(seen(false, mine)).toBe(
    `host1 (10.0.0.11): deployment "prod" runs there already (karmada-etcd-0.service, karmada-apiserver-0.service), and the state of this stack knows nothing of that\nuse the state it was made with (docs/state.md), or another name; if that state is lost, end what runs there (systemctl disable --now 'karmada-*') and restore a snapshot (docs/recovery.md)`,
  );
});

test("finds two names for one machine", () =>
  expect(found({}, { machine: "machine-1" }).map(({ host, message }) => [host, message.split("\n")[0]])).toEqual([
    ["host2 (10.0.0.12)", "is the same machine as host1 (10.0.0.11): both have the machine-id machine-1"],
  ]));

test("wants a haproxy that reads its configuration", () => {
  expect(found({ haproxy: "2.4" }, { haproxy: "2.10" }, { haproxy: "3.0" })).toEqual([]);
  expect(report(found({ haproxy: "2.2" }, { haproxy: "1.8" }))).toBe(
    "host1 (10.0.0.11): has haproxy 2.2, want 2.4 or newer\nhost2 (10.0.0.12): has haproxy 1.8, want 2.4 or newer",
  );
});

test("refuses a clock so far behind this machine's that what is signed here is not valid there yet", () => {
  expect(found({ clock: { ahead: -5.5, within: 0.6 } }, { clock: { ahead: -5, within: 0 } })).toEqual([]);
  expect(report(found({ clock: { ahead: -3600, within: 0.1 } }, { clock: { ahead: -3600.2, within: 0.1 } }))).toBe(
    [1, 2]
      .map(
        (i) =>
          `host${i} (10.0.0.1${i}): its clock is 3600.${(i - 1) * 2} s behind this machine's: certificates made here would not be valid there yet\nset both by NTP`,
      )
      .join("\n"),
  );
});

test("compares the clocks of hosts with each other, ahead of this machine's or not, and only as far as it knows them", () => {
  expect(found({ clock: { ahead: 50, within: 0 } }, { clock: { ahead: 50.9, within: 0 } })).toEqual([]);
  expect(found({ clock: { ahead: 0, within: 0.5 } }, { clock: { ahead: 1.9, within: 0.5 } })).toEqual([]);
  expect(found({ clock: { ahead: -1, within: 0 } }, { clock: { ahead: 0.5, within: 0 } })).toEqual([
    {
      host: "host2 (10.0.0.12)",
      severity: "error",
      message: "its clock is 1.5 s ahead of that of host1 (10.0.0.11), at most 1 s is allowed\nset both by NTP",
    },
  ]);
});

test("says all of all hosts at once, those that cannot be reached first", () => {
  const findings = judge("prod", [
    { needs: needs(1), facts: { ...good(1), without: ["ss"] } },
    { needs: needs(2), failure: "logging in: connect ECONNREFUSED 10.0.0.12:22" },
  ]);
  expect(report(findings)).toBe(
    "host2 (10.0.0.12): logging in: connect ECONNREFUSED 10.0.0.12:22\nhost1 (10.0.0.11): has no ss",
  );
});

test("reads listeners as ss prints them, with the unit of a deployment that they are of", () => {
  const { listeners } = parseFacts(
    [
      "process 7 karmada-etcd-0.service",
      'listener 0.0.0.0:22 users:(("sshd",pid=93,fd=3))',
      'listener [::]:2379 users:(("etcd",pid=7,fd=3),("etcd",pid=8,fd=3))',
      "listener 127.0.0.53%lo:53 ",
    ].join("\n"),
  );
  expect(listeners).toEqual([
    { address: "0.0.0.0", port: 22, process: "sshd (pid 93)" },
    { address: "::", port: 2379, process: "etcd (pid 7)", unit: "karmada-etcd-0.service" },
    { address: "127.0.0.53", port: 53, process: "a process that cannot be seen" },
  ]);
});

describe("an address that hosts share", () => {
  const sharing = (change: Partial<Facts>, vip: object = {}, other: Partial<Facts> = {}, need: object = {}) => {
    const shared = { address: "10.0.0.100", routerId: 100, ...vip };
    return judge("prod", [
      { needs: { ...needs(1), vip: shared, ...need }, facts: { ...good(1), ...change } },
      { needs: { ...needs(2), vip: shared, ...need }, facts: { ...good(2), ...other } },
    ]).map(({ host, severity, message }) => `${host}: ${severity}: ${message}`);
  };
  const answers = { vipAnswers: "02:42:ac:11:00:02" };
  const has = (address: string) => ({ addresses: [...good(1).addresses, { address, interface: "eth0" }] });

  test("is good when it is free and in their network", () => expect(sharing({})).toEqual([]));

  test("is refused when somebody else answers under it, or one of them has it already", () => {
    expect(sharing(answers)).toEqual([
      "host1 (10.0.0.11): error: 10.0.0.100 is in use by somebody else (02:42:ac:11:00:02), want a free address",
    ]);
    expect(sharing(has("10.0.0.100/32"))).toEqual([
      "host1 (10.0.0.11): error: has 10.0.0.100 already, want one that no host has",
    ]);
  });

  test("is theirs once one of this deployment has it", () =>
    expect(sharing({ deployment: "prod", ...has("10.0.0.100/32") }, {}, answers)).toEqual([]));

  test("is theirs where they had it before, whoever of those that are gone or have lost the mark has it", () => {
    expect(sharing(answers, {}, answers, { vipKnown: true })).toEqual([]);
    expect(sharing(has("10.0.0.100/32"), {}, answers, { vipKnown: true })).toEqual([]);
    expect(sharing(has("10.0.0.100/32"), {}, {}, { vipKnown: true, known: false })).toEqual([
      "host1 (10.0.0.11): error: has 10.0.0.100 already, want one that no host has",
    ]);
  });

  test("is refused outside of the network it is to be in", () => {
    expect(sharing({}, { address: "10.0.1.100" })[0]).toBe(
      "host1 (10.0.0.11): error: 10.0.1.100 is outside of the network of eth0 (10.0.0.11/24)",
    );
    expect(sharing({}, { interface: "lo" })[0]).toBe(
      "host1 (10.0.0.11): error: 10.0.0.100 is outside of the network of lo (127.0.0.1/8)",
    );
    expect(sharing({}, { interface: "eth7" })[0]).toBe(
      "host1 (10.0.0.11): error: has no interface eth7 with an address, want one of lo, eth0",
    );
  });

  test("needs hosts that have the addresses they are known by", () =>
    expect(sharing({ addresses: [{ address: "192.168.0.1/24", interface: "eth0" }] })).toEqual([
      "host1 (10.0.0.11): error: no interface of it has 10.0.0.11, and VRRP needs one that has",
    ]));

  test("needs hosts whose systemd filters system calls, which those that have it already are warned of", () => {
    const message =
      "its systemd applies no SystemCallFilter, without which keepalived does not see whether haproxy answers";
    const advice = "install libseccomp (Debian, Ubuntu: apt-get install libseccomp2), and start the host again";
    expect(sharing({ unfiltered: true }, {}, {}, { known: false })).toEqual([
      `host1 (10.0.0.11): error: ${message}\n${advice}`,
    ]);
    const known = sharing({ unfiltered: true, deployment: "prod" }, {}, { deployment: "prod" }, { known: true });
    expect(known).toEqual([`host1 (10.0.0.11): warning: ${message}\n${advice}`]);
  });

  test("comes with a warning where the system's own keepalived runs", () =>
    expect(sharing({ keepalived: true })).toEqual([
      "host1 (10.0.0.11): warning: runs a keepalived of its own: it must not use the VRRP number 100 (placement.loadBalancer.routerId)",
    ]));
});
