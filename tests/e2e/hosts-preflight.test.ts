/** Hosts that a deployment cannot use, or had better not: all that speaks against all of them is one report, and none is changed. */
import { closeHosts, hostAt } from "../../lib/hosts/hosts.ts";
import { cleanUp } from "../support/clean-up.ts";
import { fingerprintOf } from "../support/host-fingerprint.ts";
import { hasLab, Lab, type LabHost } from "../support/nspawn-lab.ts";
import { ofAnotherArchitecture, setClock, SlowDisk, withoutSystemd } from "../support/odd-hosts.ts";
import { TestStack } from "./support/stack.ts";

const anotherKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ";
/** Of the slow disk. */
const writesPerSecond = 25;

const describeLab = hasLab() ? describe : describe.skip;

describeLab("hosts that something speaks against", () => {
  let lab: Lab;
  let disk: SlowDisk;
  let stack: TestStack;
  let machines: Record<"busy" | "late" | "other" | "bare" | "slow" | "full", LabHost>;
  let before: string[];
  let privateKey: { secure: string };

  beforeAll(async () => {
    lab = new Lab(19);
    disk = await SlowDisk.create("/var/lib/karmada", writesPerSecond);
    machines = {
      busy: await lab.add(1),
      late: await lab.add(2),
      other: await lab.add(3, ofAnotherArchitecture),
      bare: await lab.add(4, withoutSystemd),
      slow: await lab.add(5, disk.oddity),
      full: await lab.add(6),
    };
    const { busy, late, full } = machines;
    for (const machine of [busy, late, full]) await ask(machine, `ip addr add ${second(machine)}/24 dev host0`);
    const listening = "defaults\n mode tcp\n timeout client 9s\nfrontend them\n bind :2379\n";
    await ask(busy, `printf '${listening}' >/etc/haproxy/haproxy.cfg; systemctl restart haproxy`);
    await ask(full, `useradd -m guest; cp -r /root/.ssh ~guest; chown -R guest: ~guest`);
    await ask(full, `useradd -m clerk; echo clerk:l3tters | chpasswd; ip addr add ${third(full)}/24 dev host0`);
    await ask(full, `mkdir /var/lib/karmada; mount -t tmpfs -o size=1g none /var/lib/karmada`);
    await ask(late, `rm /usr/sbin/haproxy /etc/os-release; printf 'ID=rocky\nVERSION_ID=9.4\n' >/etc/os-release`);
    await setClock(late, "+3s");
    closeHosts();
    before = await everyFingerprint();
    stack = await TestStack.create({}, 0);
    privateKey = await stack.secret(busy.privateKey);
  }, 300_000);

  afterAll(
    () =>
      cleanUp(
        () => stack?.remove(),
        closeHosts,
        () => lab?.stop(),
        () => disk?.remove(),
      ),
    300_000,
  );

  const ask = (machine: LabHost, script: string) => hostAt(machine.address).run("asking", script);
  const everyFingerprint = () => Promise.all(Object.values(machines).map(fingerprintOf));
  const second = ({ ip }: LabHost) => ip.replace(/(\d+)$/, "1$1");
  const third = ({ ip }: LabHost) => ip.replace(/(\d+)$/, "2$1");
  const entry = (
    name: string,
    { ip, hostKey }: LabHost,
    { address = ip, ssh = {}, ...roles }: Partial<Entry> = {},
  ) => ({
    ...{ name, address, etcd: "none", controlPlane: false, ...roles },
    ssh: { hostKey, ...(!("password" in ssh) && { privateKey }), ...ssh },
  });
  /** What was said of each host, an entry for each finding. */
  const findings = (text: string) =>
    text
      .split("\n")
      .map((line) => line.trim())
      .join("\n")
      .split(/\n(?=\w+ \([\d.]+\): )/);

  test("are all in one report, with what speaks against them, and none of them is changed", async () => {
    const { busy, late, other, bare, slow, full } = machines;
    const at = (number: number) => busy.ip.replace(/\d+$/, String(number));
    stack.config = {
      etcd: { kind: "managed", members: 3 },
      placement: {
        kind: "hosts",
        loadBalancer: { kind: "haproxy", vip: at(100), hosts: ["busy", "late"] },
        hosts: [
          entry("busy", busy, { etcd: "etcd-0", controlPlane: true }),
          entry("twice", busy, { address: second(busy) }),
          entry("late", late),
          entry("stranger", late, { address: second(late), ssh: { hostKey: anotherKey } }),
          entry("other", other),
          entry("bare", bare),
          entry("slow", slow, { etcd: "etcd-1" }),
          entry("full", full, { etcd: "etcd-2" }),
          entry("guest", full, { address: second(full), ssh: { user: "guest" } }),
          entry("clerk", full, {
            address: third(full),
            ssh: { user: "clerk", password: await stack.secret("f1gures") },
          }),
          entry("away", busy, { address: at(99) }),
        ],
      },
    };
    const { exitCode, text } = await stack.pulumi(["up", "--yes", "--skip-preview"]);
    expect(exitCode).not.toBe(0);
    expect(await everyFingerprint()).toEqual(before);

    // It is said as it happens, and once more at the end.
    const report = text.split("the hosts cannot be used, nothing was changed:\n").at(-1)!;
    const label = (name: string, ip: string) => `${name} \\(${ip.replaceAll(".", "\\.")}\\)`;
    const expected = [
      `${label("stranger", second(late))}: .* shows another host key: got SHA256:\\S+ \\(ssh-ed25519\\), want SHA256:`,
      `${label("guest", second(full))}: .*sudo: a password is required\nlet user "guest" run everything without`,
      `${label("clerk", third(full))}: .*:22 does not let user "clerk" in: tried a password$`,
      `${label("away", at(99))}: .*waited 15s for a login`,
      `${label("busy", busy.ip)}: port 2379 \\(etcd-0 client\\) is in use by haproxy \\(pid \\d+\\)`,
      `${label("twice", second(busy))}: is the same machine as ${label("busy", busy.ip)}: both have the machine-id`,
      `${label("late", late.ip)}: has no /usr/sbin/haproxy\ndnf install haproxy`,
      `${label("late", late.ip)}: its clock is (2\\.[5-9]|3\\.[0-4]) s ahead of that of \\w+ \\(.*\\), at most 1 s is allowed\nset both by NTP`,
      `${label("other", other.ip)}: its architecture is i686, the programs are built for x86_64`,
      `${label("bare", bare.ip)}: its first process is sshd, want systemd`,
      `${label("full", full.ip)}: /var/lib/karmada: 1\\.0Gi free, want 2\\.0Gi`,
    ];
    const found = findings(report.split("\n\n")[0]!);
    for (const finding of expected) expect(found).toContainEqual(expect.stringMatching(new RegExp(`^${finding}`)));
    expect(found).toHaveLength(expected.length);
    expect(text).not.toContain("f1gures");
  }, 300_000);

  test("are refused that cannot resolve what is in front of them, and taken with a warning that are only slow", async () => {
    const { slow } = machines;
    const alone = (loadBalancer: object) => ({
      etcd: { kind: "managed", members: 1 },
      placement: {
        kind: "hosts",
        loadBalancer,
        hosts: [entry("slow", slow, { etcd: "etcd-0", controlPlane: true })],
      },
    });
    const up = ["up", "--yes", "--skip-preview", "--target", "**test-preflight"];
    stack.config = alone({ kind: "external", endpoint: "https://karmada.invalid:6443" });
    const refused = await stack.pulumi(up);
    expect(refused.exitCode).not.toBe(0);
    expect(refused.text).toContain(`slow (${slow.ip}): cannot resolve karmada.invalid\n`);
    expect(await fingerprintOf(slow)).toBe(before[4]);

    stack.config = alone({ kind: "none" });
    // What it does not reach, it complains of.
    const { text } = await stack.pulumi(up);
    expect(text).toMatch(/HostPreflight test-preflight created/);
    const [, took] = /its disk is slow for etcd: ([\d.]+) ms a write, want 10 ms or less/.exec(text) ?? [];
    expect(Number(took)).toBeGreaterThan(900 / writesPerSecond);
    expect(await ask(slow, "cat /etc/karmada/deployment")).toBe("test");
    await stack.successfully(["destroy", "--yes", "--skip-preview"]);
    expect(await everyFingerprint()).toEqual(before);
  }, 300_000);
});

/** Of a host of the stack file, what is not as it is with most. */
interface Entry {
  address: string;
  ssh: object;
  etcd: string;
  controlPlane: boolean;
}
