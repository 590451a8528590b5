/**
 * Two hosts that share the work, one of them reached as somebody who is not root, behind an address of the operator's: what
 * moves, what is saved and given back, what serves members, a third that comes and goes.
 */
import { mkdtempSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import type { EtcdAccess } from "../../components/etcd-access.ts";
import { statusAt } from "../../lib/backup/status-at.ts";
import { closeHosts, hostAt } from "../../lib/hosts/hosts.ts";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { storeDirectory } from "../../toolchain/index.ts";
import { createAuthority, type Authority } from "../support/certificates.ts";
import { cleanUp } from "../support/clean-up.ts";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { Lead } from "../support/lead.ts";
import { fingerprintOf } from "../support/host-fingerprint.ts";
import { type KmsPlugin, startKmsPlugin } from "../support/kms-plugin.ts";
import { MirrorServer } from "../support/mirror.ts";
import { hasLab, Lab, type LabHost } from "../support/nspawn-lab.ts";
import { Programs } from "../support/running.ts";
import { addKmsSocket, kmsEndpoint, kmsSocket, removeKmsSocket } from "./support/kms-on-host.ts";
import { allReady, eventually, type Kubectl, Kubectls } from "./support/kubectl.ts";
import { secretsInEtcd } from "./support/secrets-in-etcd.ts";
import { type StackConfig, TestStack } from "./support/stack.ts";

interface Outputs {
  kubeconfig: string;
  endpoints: string[];
  backups: { lastSuccess?: string; statusFile: string; problem?: string };
  etcd: { clusterId: string };
  etcdAccess: EtcdAccess;
}

const memberPort = 28700;
const mirrorPort = 28750;
const kmsPort = 28755;
/** What leads to the API server, as a load balancer of the operator's would. */
const frontPort = 28740;
const describeLab = hasLab() ? describe : describe.skip;

describeLab("a Karmada on two hosts of different work", () => {
  let lab: Lab;
  let machines: LabHost[];
  let before: string[];
  let third: LabHost;
  let untouched: string;
  let programs: Programs;
  let members: Cluster[];
  let unjoined: string[][];
  let front: Lead;
  let endpoint: string;
  let authority: Authority;
  let mirror: MirrorServer;
  let keyService: KmsPlugin;
  let stack: TestStack;
  let kubectl: Kubectl;
  let outputs: Outputs;
  const kubectls = new Kubectls();

  beforeAll(async () => {
    lab = new Lab(13);
    machines = await Promise.all([1, 2].map((number) => lab.add(number)));
    front = await new Lead(lab.gateway, frontPort, { host: machines[0]!.ip, port: 5443 }).open();
    authority = await createAuthority("mirror");
    const leaf = await authority.issue({ commonName: "mirror", hosts: [lab.gateway] });
    mirror = await MirrorServer.start(join(lab.directory, "mirror"), lab.gateway, mirrorPort, leaf);
    mirror.put(join(storeDirectory(), "content"), "content");
    endpoint = `https://${lab.gateway}:${frontPort}`;
    await ask(1, "useradd -m deployer; cp -r /root/.ssh ~deployer; chown -R deployer: ~deployer");
    machines[1]!.write("/etc/sudoers.d/deployer", "deployer ALL=(ALL) NOPASSWD: ALL\n", 0o440);
    before = await Promise.all(machines.map(fingerprintOf));
    programs = new Programs(mkdtempSync(join(tmpdir(), "hosts-members-")));
    const etcd = await startEtcd(programs, memberPort);
    members = [];
    for (const i of [0, 1]) {
      members.push(
        await startCluster(programs, etcd, {
          name: `member${i + 1}`,
          port: memberPort + 10 + 2 * i,
          address: lab.gateway,
        }),
      );
    }
    unjoined = await Promise.all(members.map(namesIn));
    stack = await TestStack.create({}, 0);
    const privateKey = await stack.secret(machines[0]!.privateKey);
    const entries: StackConfig[] = [];
    for (const i of [0, 1]) {
      const kubeconfig = await stack.secret(members[i]!.kubeconfig);
      entries.push({ name: `member${i + 1}`, credentials: { kind: "kubeconfig", kubeconfig } });
    }
    entries[0]!["syncMode"] = "Pull";
    const hosts = machines.map(({ name, ip, hostKey }, i) => ({
      name,
      address: ip,
      ssh: { hostKey, ...(i === 1 && { user: "deployer" }) },
      ...(i === 1 && { controlPlane: false, etcd: "none" }),
    }));
    const second = machines[1]!.name;
    stack.config = {
      placement: {
        kind: "hosts",
        ssh: { privateKey },
        hosts,
        loadBalancer: { kind: "external", endpoint },
        hooks: [
          {
            ...{
              name: "note",
              when: "before",
              phase: "etcd",
              environment: { TOKEN: await stack.secret("t0p's3cret") },
            },
            run: 'systemctl is-active karmada-etcd-0 >/root/etcd-was || true; echo "$TOKEN $KARMADA_HOST $KARMADA_VERSION" >/root/noted',
            undo: "rm /root/noted /root/etcd-was",
          },
          {
            ...{ name: "last", when: "after", phase: "members", hosts: [machines[0]!.name] },
            run: "systemctl is-active karmada-controller-manager",
          },
        ],
        components: {
          "karmada-scheduler": [second],
          "karmada-agent": [second],
          "karmada-scheduler-estimator": [second],
        },
      },
      etcd: { kind: "managed", members: 1 },
      controlPlane: { "karmada-scheduler-estimator": { enabled: true } },
      snapshots: {
        targets: [{ kind: "local", directory: "/backup" }],
        beforeChange: "never",
        schedule: { cron: "* * * * *", jitter: "1s" },
      },
      members: entries,
    };
  }, 300_000);

  afterAll(
    () =>
      cleanUp(
        () => kubectls.remove(),
        () => stack?.remove(),
        () => programs?.remove(),
        async () => front?.close(),
        async () => mirror?.close(),
        async () => keyService?.stop(),
        closeHosts,
        () => lab?.stop(),
      ),
    300_000,
  );

  /** Of everything a join makes in a member; its service accounts are in namespaces of their own, other controllers come with theirs in their time. */
  const namesIn = async ({ kubeconfig }: Cluster) => {
    const kinds = "namespaces,secrets,clusterroles,clusterrolebindings,customresourcedefinitions";
    const names = await (await kubectls.to(kubeconfig))(["get", kinds, "-A", "-o", "name"]);
    return names.trim().split("\n");
  };
  const ask = (machine: number, script: string) => hostAt(machines[machine]!.address).run("asking", script);
  const pulumi = async (...args: string[]) => (await stack.successfully(args, { timeoutSeconds: 900 })).text;
  const snapshotAfter = async (moment: Date) => {
    const path = outputs.backups.statusFile.split(": ")[1]!; // behind the host it is on
    const last = () => statusAt({ path, host: machines[0]!.address });
    const status = await eventually(last, (found) => new Date(found?.lastSuccess?.at ?? 0) > moment, 90);
    return status!.lastSuccess!.id;
  };
  const units = (machine: number) =>
    ask(machine, "systemctl list-units --state=active --plain --no-legend 'karmada-*' | awk '{print $1}'").then(
      (text) =>
        text
          .trim()
          .split("\n")
          .map((unit) => unit.replace(".service", "")),
    );

  test("one up puts each component where it is wanted, runs the hooks in their turn, and ends with a first snapshot", async () => {
    await pulumi("up", "--yes", "--skip-preview");
    outputs = await stack.outputs<Outputs>();
    expect(outputs.kubeconfig).toContain(`server: ${endpoint}\n`);
    expect(outputs.endpoints).toEqual([endpoint, `https://${machines[0]!.ip}:5443`]);
    kubectl = await kubectls.to(outputs.kubeconfig);
    await allReady(kubectl, 2);
    expect(await units(1)).toEqual([
      "karmada-member1-karmada-agent",
      "karmada-member1-karmada-scheduler-estimator",
      "karmada-member2-karmada-scheduler-estimator",
      "karmada-scheduler",
    ]);
    expect(await ask(1, "cat /root/noted /root/etcd-was")).toBe(`t0p's3cret ${machines[1]!.name} 1.18.2\ninactive\n`);
    expect(await ask(0, "cat /root/etcd-was")).toBe("inactive\n");
    expect(await stack.state()).not.toContain("s3cret");
    expect(await units(0)).toContain("karmada-etcd-backup");
    expect(outputs.backups).toMatchObject({ lastSuccess: expect.any(String) });
    expect(outputs.backups.problem).toBeUndefined();
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
    await pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes");
    const logins = `journalctl -u ssh --no-pager -o cat | sed -n 's/^Accepted publickey for \\([a-z]*\\) .*/\\1/p' | sort | uniq -c`;
    expect(await ask(1, logins)).toMatch(/ deployer\n/);
  }, 960_000);

  test("what was changed by hand is named by a preview without a refresh, by one login, and put back by an up with one", async () => {
    await ask(0, "sed -i s/RestartSec=1s/RestartSec=9s/ /etc/systemd/system/karmada-webhook.service");
    await ask(0, "chmod 644 /etc/karmada/etcd-0/pki/etcd/peer.key");
    await ask(1, "rm $(readlink /opt/karmada/bin/member1-karmada-agent)");
    await ask(1, "systemctl stop karmada-member2-karmada-scheduler-estimator");
    const logins = () =>
      ask(1, `journalctl -u ssh --no-pager -o cat | grep -c "Accepted publickey for deployer"`).then(Number);
    const count = await logins();
    const text = await pulumi("preview");
    expect((await logins()) - count).toBe(1);
    const label = (machine: number) => `${machines[machine]!.name} (${machines[machine]!.ip})`;
    for (const sentence of [
      `${label(0)}: karmada-webhook: its unit was changed by hand\n`,
      `${label(0)}: etcd-0: file pki/etcd/peer.key is 644 root:karmada-etcd, want 640 root:karmada-etcd\n`,
      `${label(1)}: member1-karmada-agent: its program is gone\n`,
      `${label(1)}: member2-karmada-scheduler-estimator: it does not run: `,
    ])
      expect(text).toContain(sentence);
    await pulumi("up", "--yes", "--skip-preview", "--refresh");
    expect(await pulumi("preview", "--expect-no-changes")).not.toMatch(
      /changed by hand|root:karmada|is gone|does not run/,
    );
  }, 300_000);

  test("an address of the operator's that leads nowhere any more is named by refresh, and is as it was once it does", async () => {
    front.close();
    await pulumi("refresh", "--yes", "--skip-preview");
    expect(await pulumi("preview", "--diff")).toContain(
      `not ready: ${endpoint}: connection refused, nothing listens there`,
    );
    await front.open();
    await pulumi("up", "--yes", "--skip-preview");
    await pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes");
  }, 300_000);

  test("a component that moves runs there, and nothing of it is left where it was, whose key the same edit replaces", async () => {
    const placement = stack.config["placement"] as { components: Record<string, string[]>; hosts: StackConfig[] };
    placement.components["karmada-scheduler"] = [machines[0]!.name];
    const key = join(lab.directory, "replaced");
    await execa("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    machines[1]!.write("/home/deployer/.ssh/authorized_keys", await readFile(`${key}.pub`, "utf8"));
    const privateKey = await stack.secret(await readFile(key, "utf8"));
    Object.assign(placement.hosts[1]!["ssh"] as object, { privateKey });
    await pulumi("up", "--yes", "--skip-preview");
    expect(await units(1)).not.toContain("karmada-scheduler");
    expect(await units(0)).toContain("karmada-scheduler");
    expect(await ask(1, "id karmada-scheduler 2>&1 || true")).toContain("no such user");
  }, 300_000);

  test("an estimator that moves is asked where it is now", async () => {
    const { components } = stack.config["placement"] as { components: Record<string, string[]> };
    components["karmada-scheduler-estimator"] = [machines[0]!.name];
    await pulumi("up", "--yes", "--skip-preview");
    expect(await units(0)).toContain("karmada-member1-karmada-scheduler-estimator");
    const dialled = `
      pid=$(systemctl show -p MainPID --value karmada-scheduler)
      ss -Htnp state established dst ${machines[0]!.ip} dport != :5443 | grep "pid=$pid," || true`;
    const dials = async () => {
      const all = await Promise.all(machines.map((_, i) => ask(i, dialled)));
      return all.join("").trim().split("\n");
    };
    // The lease of the scheduler that was ended has to expire.
    await eventually(dials, (lines) => lines.length === members.length, 60);
  }, 300_000);

  test("hosts download what they lack from a mirror, and one that does not come to it is named before anything is changed", async () => {
    const placement = stack.config["placement"] as { mirror?: { url: string; ca?: string } };
    const stranger = await createAuthority("stranger");
    const at = (await ask(0, "readlink /opt/karmada/bin/karmada-scheduler")).trim();
    await ask(0, `rm ${at}`);
    await pulumi("refresh", "--yes", "--skip-preview");
    placement.mirror = { url: mirror.url, ca: stranger.certificate };
    const { text } = await stack.pulumi(["up", "--yes", "--skip-preview"]);
    for (const { name, ip } of machines)
      expect(text).toContain(`${name} (${ip}): cannot download from ${mirror.url}: SSL certificate problem`);
    expect(await ask(0, `ls ${at} 2>&1 || true`)).toContain("No such file");
    mirror.asked.length = 0;

    placement.mirror = { url: mirror.url, ca: authority.certificate };
    await pulumi("up", "--yes", "--skip-preview");
    expect(mirror.asked.filter((each) => each.startsWith("GET"))).toEqual([
      expect.stringMatching(/^GET \/content\/[0-9a-f]{64}\/karmada-scheduler$/),
    ]);
    expect(await ask(0, `sha256sum ${at} | cut -c1-64`)).toBe(`${at.split("/").at(-2)}\n`);
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  }, 300_000);

  test("a host that loses its power while programs are sent to it is named, and the others serve on", async () => {
    third = await lab.add(3);
    untouched = await fingerprintOf(third);
    const placement = stack.config["placement"] as { hosts: StackConfig[]; mirror?: object };
    delete placement.mirror;
    const { name, ip, hostKey } = third;
    placement.hosts = [...placement.hosts, { name, address: ip, ssh: { hostKey }, etcd: "none" }];
    const up = stack.pulumi(["up", "--yes", "--skip-preview"], { timeoutSeconds: 300 });
    await waitFor("programs to be sent", deadlineIn(120), async () => {
      if ((await readdir(third.path("/opt/karmada"))).length === 0) throw new Error("none is there");
    });
    await third.cutPower();
    const { exitCode, text } = await up;
    expect(exitCode).not.toBe(0);
    expect(text).toMatch(new RegExp(`${name} \\(${ip.replaceAll(".", "\\.")}\\): (sending|looking for) [\\w-]+`));
    await allReady(kubectl, 2);
    expect(await units(0)).toContain("karmada-apiserver");
    await third.boot();
  }, 600_000);

  test("with it back the next up goes on, and it serves like the first; off the list, nothing is left there", async () => {
    const placement = stack.config["placement"] as { hosts: StackConfig[] };
    const { ip } = third;
    await pulumi("up", "--yes", "--skip-preview");
    const { endpoints } = await stack.outputs<Outputs>();
    expect(endpoints).toEqual([...outputs.endpoints, `https://${ip}:5443`]);
    await allReady(await kubectls.to(outputs.kubeconfig.replace(endpoint, endpoints[2]!)), 2);
    const active = () =>
      hostAt(third.address).run("asking", "systemctl is-active karmada-apiserver-1 karmada-webhook-1");
    expect(await active()).toBe("active\nactive\n");
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");

    placement.hosts = placement.hosts.slice(0, 2);
    await pulumi("up", "--yes", "--skip-preview");
    expect(await fingerprintOf(third)).toBe(untouched);
    expect(await stack.state()).not.toMatch(/BEGIN [A-Z ]*PRIVATE KEY/);
    expect((await stack.outputs<Outputs>()).endpoints).toEqual(outputs.endpoints);
    await allReady(kubectl, 2);
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  }, 600_000);

  test("a key service encrypts once its plugin's socket is on each host with an API server, after a boot too, and until the way back", async () => {
    const { hosts } = stack.config["placement"] as { hosts: StackConfig[] };
    const { controlPlane } = stack.config as { controlPlane: object };
    const declare = (encryption: object) => {
      stack.config["controlPlane"] = { ...controlPlane, encryption };
    };
    const kms = { provider: "kms", name: "vault", endpoint: kmsEndpoint };
    hosts[1]!["controlPlane"] = true;
    declare(kms);
    const found = () => Promise.all([...machines.map(fingerprintOf), ask(0, "systemctl show -p MainPID 'karmada-*'")]);
    const untouched = await found();
    const { exitCode, text } = await stack.pulumi(["up", "--yes", "--skip-preview"]);
    expect(exitCode).not.toBe(0);
    for (const { name, ip } of machines) expect(text).toContain(`${name} (${ip}): has no socket ${kmsSocket}\n`);
    expect(await found()).toEqual(untouched);

    keyService = await startKmsPlugin(`${lab.gateway}:${kmsPort}`, "vault");
    const apiServers = ["karmada-apiserver", "karmada-apiserver-1"];
    for (const [i, unit] of apiServers.entries()) await addKmsSocket(machines[i]!, unit, lab.gateway, kmsPort);
    expect(await pulumi("up", "--yes", "--skip-preview")).toContain("run up again, which encrypts secrets");
    await pulumi("up", "--yes", "--skip-preview");
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
    await kubectl(["create", "secret", "generic", "kept", "--from-literal=password=s3cret"]);
    const inClear = async () => {
      const { secrets } = await secretsInEtcd((await stack.outputs<Outputs>()).etcdAccess);
      return secrets.filter((value) => !value.startsWith("k8s:enc:kms:v2:vault.secrets:")).length / secrets.length;
    };
    expect(await inClear()).toBe(0);
    await machines[1]!.cutPower();
    await machines[1]!.boot();
    const second = await kubectls.to(outputs.kubeconfig.replace(endpoint, `https://${machines[1]!.ip}:5443`));
    const password = () => second(["get", "secret", "kept", "-o", "jsonpath={.data.password}"]);
    const read = await eventually(password, () => true, 90);
    expect(Buffer.from(read, "base64").toString()).toBe("s3cret");

    declare({ provider: "identity" });
    expect(await pulumi("up", "--yes", "--skip-preview")).toContain("nothing is encrypted by plugin vault any more");
    await pulumi("up", "--yes", "--skip-preview");
    expect(await inClear()).toBe(1);
    declare({});
    await pulumi("up", "--yes", "--skip-preview");
    hosts[1]!["controlPlane"] = false;
    await pulumi("up", "--yes", "--skip-preview");
    for (const [i, unit] of apiServers.entries()) await removeKmsSocket(machines[i]!, unit);
    await kubectl(["delete", "secret", "kept"]);
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  }, 600_000);

  test("a restore of a scheduled snapshot onto another host ends what remembers other data, and the member of before", async () => {
    // The first was taken before there were members.
    const id = await snapshotAfter(new Date());
    await kubectl(["create", "configmap", "after-the-snapshot"]);
    const placement = stack.config["placement"] as { hosts: StackConfig[] };
    const { hosts } = placement;
    const source = { kind: "snapshot", id, target: { kind: "local", directory: machines[0]!.path("/backup") } };
    const restoring = (locks: object) => ({ kind: "managed", members: ["etcd-1"], restore: { ...locks, source } });
    stack.config["etcd"] = restoring({ generation: 1, replaceClusterId: "none" });
    const isRefused = async () => {
      const { text } = await stack.preview();
      expect(text).toContain(`cluster ${outputs.etcd.clusterId} is there (etcd-0 answers)`);
      expect(text).toContain("set overwriteHealthy to true if that is what you want");
    };
    // Also where the host of before leaves in the same edit.
    const alone = { ...hosts[1]!, etcd: "etcd-1", controlPlane: true };
    stack.config["placement"] = { ...placement, hosts: [alone], components: {}, hooks: [] };
    await isRefused();
    stack.config["placement"] = placement;
    Object.assign(hosts[0]!, { etcd: "none" });
    Object.assign(hosts[1]!, { etcd: "etcd-1" });
    await isRefused();
    const replaceClusterId = outputs.etcd.clusterId;
    stack.config["etcd"] = restoring({ generation: 1, replaceClusterId, overwriteHealthy: true });
    await pulumi("up", "--yes", "--skip-preview");
    expect(await units(0)).not.toContain("karmada-etcd-0");
    expect(await units(1)).toContain("karmada-etcd-1");
    expect((await stack.outputs<Outputs>()).etcd.clusterId).not.toBe(outputs.etcd.clusterId);
    await allReady(kubectl, 2);
    await expect(kubectl(["get", "configmap", "after-the-snapshot"])).rejects.toThrow("not found");
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  }, 300_000);

  test("destroy leaves the hosts as they were, and in the members nothing that was not there", async () => {
    await pulumi("destroy", "--yes", "--skip-preview");
    for (const [i, member] of members.entries()) {
      const added = async () => (await namesIn(member)).filter((name) => !unjoined[i]!.includes(name));
      expect(await eventually(added, (names) => names.length === 0)).toEqual([]);
    }
    expect(await ask(1, "ls /root")).toBe("");
    expect(await Promise.all(machines.map(fingerprintOf))).toEqual(before);
  }, 300_000);
});
