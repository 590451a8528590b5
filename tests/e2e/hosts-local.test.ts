/** This program on one of three hosts, which is `local` to it: the two others it reaches by SSH, and all three make one Karmada. */
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeHosts, hostAt } from "../../lib/hosts/hosts.ts";
import { storeDirectory } from "../../toolchain/store/store.ts";
import { cleanUp } from "../support/clean-up.ts";
import { startCluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { fingerprintOf } from "../support/host-fingerprint.ts";
import { hasLab, Lab, type LabHost } from "../support/nspawn-lab.ts";
import { Programs } from "../support/running.ts";
import { sweptAtLast } from "../support/swept.ts";
import { allReady, Kubectls } from "./support/kubectl.ts";
import { TestStack } from "./support/stack.ts";

interface Outputs {
  kubeconfig: string;
  endpoints: string[];
  etcd: { members: { name: string; healthy: boolean }[] };
}

const memberPort = 28780;
const describeLab = hasLab() ? describe : describe.skip;

describeLab("a Karmada on the machine where it is brought up, and on two others", () => {
  let lab: Lab;
  let machines: LabHost[];
  let before: string[];
  let programs: Programs;
  let stack: TestStack;
  const kubectls = new Kubectls();

  beforeAll(async () => {
    const directory = mkdtempSync(join(tmpdir(), "hosts-local-"));
    sweptAtLast(directory);
    lab = new Lab(21);
    // What the program is, and what it has of programs, is the same there as here.
    const shared = [join(import.meta.dirname, "../.."), storeDirectory(), directory];
    mkdirSync(storeDirectory(), { recursive: true });
    const nspawn = shared.map((path) => `--bind=${path}`);
    machines = await Promise.all([lab.add(1, { nspawn }), lab.add(2), lab.add(3)]);
    const [here, second, third] = machines as [LabHost, LabHost, LabHost];
    programs = new Programs(mkdtempSync(join(tmpdir(), "hosts-members-")));
    const etcd = await startEtcd(programs, memberPort);
    const member = await startCluster(programs, etcd, { name: "member1", port: memberPort + 2, address: lab.gateway });
    before = await Promise.all(machines.map(fingerprintOf));
    // Authorities of this machine's own are not there.
    const env = { NODE_EXTRA_CA_CERTS: "" };
    stack = await TestStack.create({}, 0, { prefix: here.inside, directory, env });
    const privateKey = await stack.secret(second.privateKey);
    const byWayOfSsh = ({ name, ip, hostKey }: LabHost) => ({ name, address: ip, ssh: { hostKey, privateKey } });
    stack.config = {
      placement: {
        kind: "hosts",
        hosts: [
          { name: here.name, address: here.ip },
          byWayOfSsh(second),
          { ...byWayOfSsh(third), controlPlane: false },
        ],
        hooks: [{ name: "note", when: "before", phase: "etcd", run: "hostname >/root/noted", undo: "rm /root/noted" }],
      },
      members: [
        { name: "member1", credentials: { kind: "kubeconfig", kubeconfig: await stack.secret(member.kubeconfig) } },
      ],
    };
  }, 300_000);

  afterAll(
    () =>
      cleanUp(
        () => kubectls.remove(),
        () => stack?.remove(),
        () => programs?.remove(),
        closeHosts,
        () => lab?.stop(),
      ),
    300_000,
  );

  const ask = (machine: number, script: string) => hostAt(machines[machine]!.address).run("asking", script);
  const pulumi = async (...args: string[]) => (await stack.successfully(args, { timeoutSeconds: 900 })).text;
  const logins = (machine: number) =>
    ask(machine, `journalctl -u ssh --no-pager -o cat | grep -c "Accepted publickey"`).then(Number);

  test("one up makes it of all three, without a login on the machine itself", async () => {
    const counts = await Promise.all([0, 1, 2].map(logins));
    await pulumi("up", "--yes", "--skip-preview");
    const more = (await Promise.all([0, 1, 2].map(logins))).map((count, i) => count - counts[i]!);
    // That of the program, and that of the hook, which a plugin runs.
    expect(more).toEqual([0, 2, 2]);
    const outputs = await stack.outputs<Outputs>();
    expect(outputs.endpoints).toEqual(machines.slice(0, 2).map(({ ip }) => `https://${ip}:5443`));
    expect(outputs.etcd.members.map(({ name, healthy }) => [name, healthy])).toEqual(
      ["etcd-0", "etcd-1", "etcd-2"].map((name) => [name, true]),
    );
    for (const [i, { name }] of machines.entries()) {
      expect(await ask(i, `cat /root/noted; systemctl is-active karmada-etcd-${i}`)).toBe(`${name}\nactive\n`);
    }
    const replica = (i: number) => `systemctl is-active karmada-apiserver${i === 0 ? "" : `-${i}`}`;
    expect([await ask(0, replica(0)), await ask(1, replica(1))]).toEqual(["active\n", "active\n"]);
    await allReady(await kubectls.to(outputs.kubeconfig), 1);
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  }, 960_000);

  test("what was changed by hand there is found like that on the others, and put back", async () => {
    for (const [i] of machines.entries()) await ask(i, `chmod 644 /etc/karmada/etcd-${i}/pki/etcd/peer.key`);
    const text = await pulumi("preview");
    for (const [i, { name, ip }] of machines.entries())
      expect(text).toContain(`${name} (${ip}): etcd-${i}: file pki/etcd/peer.key is 644 root:karmada-etcd, want 640`);
    await pulumi("up", "--yes", "--skip-preview", "--refresh");
    await pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes");
    for (const [i] of machines.entries())
      expect(await ask(i, `stat -c %a /etc/karmada/etcd-${i}/pki/etcd/peer.key`)).toBe("640\n");
  }, 300_000);

  test("destroy leaves all three as they were", async () => {
    await pulumi("destroy", "--yes", "--skip-preview");
    expect(await Promise.all(machines.map(fingerprintOf))).toEqual(before);
    for (const [i] of machines.entries()) expect(await ask(i, "ls /root")).toBe("");
  }, 300_000);
});
