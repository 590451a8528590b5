import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { EtcdClient } from "../../lib/etcd/client.ts";
import { etcdHealth } from "../../lib/etcd/health.ts";
import { closeHosts, hostAt } from "../../lib/hosts/hosts.ts";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { provider as membership } from "../../providers/etcd-membership-impl.ts";
import { provider as prepared } from "../../providers/host-prepared-process-impl.ts";
import { provider as programs } from "../../providers/host-program-impl.ts";
import { createAuthority, type Authority } from "../support/certificates.ts";
import { fingerprintOf } from "../support/host-fingerprint.ts";
import { hasLab, Lab, type LabHost } from "../support/nspawn-lab.ts";
import { programPath } from "../support/programs.ts";

const describeLab = hasLab() ? describe : describe.skip;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as the engine hands it over
type State = any;

/** Three members on three hosts, each test going on where the one before has left it. */
describeLab("etcd on three hosts", () => {
  let lab: Lab;
  let hosts: Record<string, LabHost>;
  let before: string[];
  let authority: Authority;
  let leaf: { certificate: string; key: string };
  let client: EtcdClient;
  let source: string;
  let sha256: string;
  let cluster: State;
  const sent: Record<string, State> = {};
  const states: Record<string, State> = {};
  const names = ["etcd-0", "etcd-1", "etcd-2"];

  beforeAll(async () => {
    source = await programPath("etcd");
    sha256 = createHash("sha256").update(readFileSync(source)).digest("hex");
    authority = await createAuthority("etcd");
    lab = new Lab(11);
    const machines = await Promise.all(names.map((_, i) => lab.add(i + 1)));
    hosts = Object.fromEntries(names.map((name, i) => [name, machines[i]!]));
    leaf = await authority.issue({ commonName: "etcd", hosts: [...machines.map(({ ip }) => ip), "127.0.0.1"] });
    client = new EtcdClient({ ca: authority.certificate, ...leaf });
    before = await Promise.all(machines.map(fingerprintOf));
    for (const name of names) {
      sent[name] = (await programs.create({ host: hosts[name]!.address, name: "etcd", sha256, source })).outs;
    }
  }, 300_000);
  afterAll(async () => {
    client?.close();
    closeHosts();
    await lab.stop();
  }, 60_000);

  const ask = (name: string, script: string) => hostAt(hosts[name]!.address).run("asking", script);
  const mainPid = async (name: string) =>
    (await ask(name, `systemctl show karmada-${name}.service -p MainPID --value`)).trim();
  const pids = () => Promise.all(names.map(mainPid));
  const url = (name: string, port: number) => `https://${hosts[name]!.ip}:${port}`;

  const inputs = (name: string, more: readonly string[] = []) => ({
    host: hosts[name]!.address,
    name,
    component: "etcd",
    program: "etcd",
    programSha256: sha256,
    args: [
      `--name=${name}`,
      ...[`--listen-client-urls=${url(name, 2379)}`, `--advertise-client-urls=${url(name, 2379)}`],
      ...[`--listen-peer-urls=${url(name, 2380)}`, `--initial-advertise-peer-urls=${url(name, 2380)}`],
      ...["", "peer-"].flatMap((side) => [
        `--${side}client-cert-auth=true`,
        `--${side}trusted-ca-file=/etc/karmada/${name}/ca.crt`,
        `--${side}cert-file=/etc/karmada/${name}/tls.crt`,
        `--${side}key-file=/etc/karmada/${name}/tls.key`,
      ]),
      ...more,
    ],
    env: { GOMAXPROCS: "1" },
    contents: { "ca.crt": authority.certificate, "tls.crt": leaf.certificate, "tls.key": leaf.key },
    rereads: ["tls.crt", "tls.key"],
    stopSeconds: 10,
    notifies: true,
  });
  const prepare = async (name: string, more: readonly string[] = []) => {
    const { inputs: checked, failures } = await prepared.check(states[name] ?? {}, inputs(name, more));
    expect(failures).toEqual([]);
    const done = states[name] === undefined ? prepared.create(checked) : prepared.update("id", states[name], checked);
    states[name] = (await done).outs;
  };
  const drift = async (name: string) => (await prepared.read("id", states[name])).props?.["drift"];

  const membershipInputs = (members = names) => ({
    token: "prod",
    runtime: {
      kind: "hosts",
      members: Object.fromEntries(names.map((name) => [name, hosts[name]!.address])),
    },
    members: members.map((name) => ({
      name,
      clientUrl: url(name, 2379),
      peerUrl: url(name, 2380),
      revision: states[name].revision,
    })),
    version: "3.6.6",
    replace: {},
    defragment: { fragmentation: 0.45, size: 100 * 2 ** 20 },
    ca: authority.certificate,
    ...leaf,
    timeoutSeconds: 60,
  });
  const bring = async (members = names) => {
    const { inputs: checked, failures } = await membership.check(cluster ?? {}, membershipInputs(members));
    expect(failures).toEqual([]);
    const done = cluster === undefined ? membership.create(checked) : membership.update("id", cluster, checked);
    cluster = (await done).outs;
    return (checked["plan"] as string[]).slice(1);
  };
  const healthy = (members = names) =>
    waitFor("the members", deadlineIn(60), async () => {
      const report = await etcdHealth(
        client,
        members.map((name) => url(name, 2379)),
      );
      if (report.members.some(({ healthy }) => !healthy)) throw new Error(JSON.stringify(report.members));
    });

  test("are written down, and nothing runs", async () => {
    await Promise.all(names.map((name) => prepare(name)));
    expect(await pids()).toEqual(["0", "0", "0"]);
    expect(await ask("etcd-0", "ls /etc/systemd/system/karmada-* 2>/dev/null || true")).toBe("");
    expect(await Promise.all(names.map(drift))).toEqual([undefined, undefined, undefined]);
  });

  test("are started as one cluster, and serve", async () => {
    expect(await bring()).toEqual(["start etcd-0, etcd-1 and etcd-2 as a new cluster of etcd 3.6.6; tolerates 1 loss"]);
    await healthy();
    expect(cluster.memberStates.map(({ name, role, incarnation }: State) => [name, role, incarnation])).toEqual(
      names.map((name) => [name, "voter", 1]),
    );
    expect(await ask("etcd-1", `stat -c %U /proc/${await mainPid("etcd-1")}`)).toBe("karmada-etcd\n");
    expect(await ask("etcd-1", "systemctl is-enabled karmada-etcd-1.service")).toBe("enabled\n");
    expect(await Promise.all(names.map(drift))).toEqual([undefined, undefined, undefined]);
  }, 120_000);

  test("go on as what they are when they are prepared as something else, also when one is killed", async () => {
    const running = await pids();
    await Promise.all(names.map((name) => prepare(name, ["--snapshot-count=9000"])));
    expect(await pids()).toEqual(running);
    await ask("etcd-2", `kill -9 ${running[2]}`);
    await waitFor("it to run again", deadlineIn(30), async () => {
      if ((await mainPid("etcd-2")) === "0") throw new Error("not yet");
    });
    expect(await ask("etcd-2", `tr '\\0' '\\n' </proc/${await mainPid("etcd-2")}/cmdline`)).not.toContain("9000");
    await healthy();
    expect(await Promise.all(names.map(drift))).toEqual([undefined, undefined, undefined]);
  }, 120_000);

  test("are restarted one by one as they are prepared", async () => {
    const running = await pids();
    await bring();
    await healthy();
    const now = await pids();
    names.forEach((_, i) => expect(now[i]).not.toBe(running[i]));
    expect(await ask("etcd-0", `tr '\\0' '\\n' </proc/${now[0]}/cmdline`)).toContain("--snapshot-count=9000");
  }, 180_000);

  test.each([
    ["a changed file", "echo x >>/etc/karmada/etcd-0/ca.crt", "file ca.crt was changed by hand"],
    ["a lost unit to come", "rm /etc/karmada/etcd-0/prepared.service", "file prepared.service is gone"],
    [
      "an edited unit",
      "sed -i s/RestartSec=1s/RestartSec=9s/ /etc/systemd/system/karmada-etcd-0.service",
      "its unit was changed by hand",
    ],
    [
      "a member that would not start with its host",
      "systemctl disable -q karmada-etcd-0",
      "it would not start with the host",
    ],
    ["a lost link", "rm /opt/karmada/bin/etcd-0", "its program is gone"],
  ])("find and repair %s, without a restart", async (_, damage, sentence) => {
    const running = await pids();
    await ask("etcd-0", damage);
    expect(await drift("etcd-0")).toEqual([sentence]);
    await prepare("etcd-0", ["--snapshot-count=9000"]);
    expect(await drift("etcd-0")).toBeUndefined();
    expect(await pids()).toEqual(running);
  });

  test("are drift when one was stopped, and started again", async () => {
    await ask("etcd-1", "systemctl stop karmada-etcd-1");
    const { props } = await membership.read("id", cluster);
    expect(props?.["drift"]).toEqual([`etcd-1: ${url("etcd-1", 2379)}: connection refused, nothing listens there`]);
    cluster = props;
    await bring();
    await healthy();
  }, 120_000);

  test("come back by themselves when the power of a host was cut", async () => {
    await hosts["etcd-2"]!.cutPower();
    await hosts["etcd-2"]!.boot();
    await healthy();
    expect((await membership.read("id", cluster)).props?.["drift"]).toBeUndefined();
  }, 120_000);

  test("leave one by one, which end and stay ended", async () => {
    await bring(["etcd-0"]);
    expect((await pids()).map((pid) => pid !== "0")).toEqual([true, false, false]);
    expect(await ask("etcd-1", "systemctl is-enabled karmada-etcd-1.service || true")).toBe("disabled\n");
    await healthy(["etcd-0"]);
  }, 120_000);

  test("leave nothing behind, but not while one runs", async () => {
    await prepared.delete("id", states["etcd-0"]);
    expect(await mainPid("etcd-0")).not.toBe("0");
    await membership.delete("id", cluster);
    for (const name of names) {
      await prepared.delete("id", states[name]);
      await programs.delete("id", sent[name]);
      expect((await prepared.read("id", states[name])).id).toBeUndefined();
    }
    expect(await Promise.all(Object.values(hosts).map(fingerprintOf))).toEqual(before);
  }, 120_000);
});
