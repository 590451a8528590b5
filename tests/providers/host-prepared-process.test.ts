import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EtcdClient } from "../../lib/etcd/client.ts";
import { etcdHealth } from "../../lib/etcd/health.ts";
import { EtcdKeys } from "../../lib/etcd/keys.ts";
import { closeHosts, hostAt } from "../../lib/hosts/hosts.ts";
import { bundledProgram } from "../../lib/own-bundle.ts";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { provider as backups } from "../../providers/etcd-backup-status-impl.ts";
import { provider as membership } from "../../providers/etcd-membership-impl.ts";
import { provider as restoring } from "../../providers/etcd-restore-impl.ts";
import { provider as snapshots } from "../../providers/etcd-snapshot-impl.ts";
import { provider as prepared } from "../../providers/host-prepared-process-impl.ts";
import { provider as processes } from "../../providers/host-process-impl.ts";
import { provider as programs } from "../../providers/host-programs-impl.ts";
import { beginRun } from "../../providers/still-declared.ts";
import { createAuthority, type Authority } from "../support/certificates.ts";
import { fingerprintOf } from "../support/host-fingerprint.ts";
import { hasLab, Lab, type LabHost } from "../support/nspawn-lab.ts";
import { programPath as hostPath } from "../../lib/hosts/layout.ts";
import { programPath } from "../support/programs.ts";
import { usualSettings } from "../support/etcd-inputs.ts";

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
      const { address } = hosts[name]!;
      sent[name] = (
        await programs.create({ host: address, programs: { etcd: sha256 }, sources: { etcd: source } })
      ).outs;
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
      hosts: names.map((name) => hosts[name]!.address),
    },
    members: members.map((name) => ({
      name,
      clientUrl: url(name, 2379),
      peerUrl: url(name, 2380),
      revision: states[name].revision,
    })),
    ...usualSettings,
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
      if (["0", running[2]].includes(await mainPid("etcd-2"))) throw new Error("not yet");
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

  test("do not come back by themselves without their data, and do with them", async () => {
    const data = "/var/lib/karmada/etcd-2";
    await ask("etcd-2", `mv ${data}/1 ${data}/away; systemctl kill -s KILL karmada-etcd-2`);
    await waitFor("the refusal", deadlineIn(30), async () => {
      const log = await ask("etcd-2", "journalctl -u karmada-etcd-2 -n 20 -o cat --no-pager");
      if (!log.includes(`${data}/1 is gone`)) throw new Error(log);
    });
    expect(await ask("etcd-2", `ls ${data}`)).toBe("away\n");
    await ask("etcd-2", `mv ${data}/away ${data}/1`);
    await healthy();
  }, 120_000);

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

  describe("of whose data there is a snapshot in a directory of this machine", () => {
    const targets = [{ kind: "local", directory: mkdtempSync(join(tmpdir(), "host-snapshots-")) }];
    const etcdVersion = "3.6.6";
    const encryption = { kind: "none" };
    const tls = () => ({ ca: authority.certificate, ...leaf });
    const keys = (name = "etcd-0") => new EtcdKeys(client, url(name, 2379));
    const value = (name: string) => keys(name).get("/registry/kept");
    let etcdutl: string;
    let remembering: State;

    beforeAll(async () => {
      etcdutl = await programPath("etcdutl");
    });
    afterAll(() => rmSync(targets[0]!.directory, { recursive: true }));

    const restoreInputs = async (generation: number, source: object, replaceClusterId: string) => ({
      cluster: "prod",
      runtime: membershipInputs().runtime,
      members: membershipInputs().members.map(({ name, peerUrl, clientUrl }) => ({ name, peerUrl, clientUrl })),
      ...tls(),
      etcdutl,
      etcdVersion,
      generation,
      source,
      replaceClusterId,
      overwriteHealthy: true,
      allowForeignSnapshot: false,
      keyPrefix: "/registry",
      programs: ["remembering"],
      timeoutSeconds: 60,
    });
    const snapshot = { kind: "snapshot", target: targets[0], deployment: "prod", id: "latest", encryption };
    const clusterId = async () => (await etcdHealth(client, [url("etcd-0", 2379)])).clusterId;
    const restore = async (inputs: object) => {
      const { inputs: checked, failures } = await restoring.check({}, inputs);
      expect(failures).toEqual([]);
      return (await restoring.create(checked)).outs;
    };

    test("one is taken over the network", async () => {
      await keys().putIfAbsent("/registry/kept", "of before");
      const { outs } = await snapshots.create({
        deployment: "prod",
        endpoints: names.map((name) => url(name, 2379)),
        ...tls(),
        keyPrefix: "/registry",
        etcdVersion,
        targets,
        secretKeys: {},
        encryption,
        verify: "sha",
        apartFrom: [],
        reason: "on-demand",
        triggers: {},
        onDelete: "keep",
      });
      expect(outs.uri).toMatch(new RegExp(`^file://${targets[0]!.directory}/prod/.*\\.db$`));
      await keys().delete("/registry/kept");
    }, 60_000);

    test("the locks are the same as anywhere", async () => {
      const inputs = { ...(await restoreInputs(1, snapshot, "none")), overwriteHealthy: false };
      const { failures = [] } = await restoring.check({}, inputs);
      expect(failures.map(({ property }) => property)).toEqual(["replaceClusterId", "overwriteHealthy"]);
      expect(failures[0]!.reason).toContain(`cluster ${await clusterId()} is there (etcd-0 answers)`);
    });

    test("a member on a host that the deployment has left counts as well, unless another deployment has that host by now", async () => {
      const { runtime, members, ...rest } = await restoreInputs(1, snapshot, await clusterId());
      const leaving = hosts["etcd-2"]!.address;
      const inputs = (left: object) => ({
        ...rest,
        members: members.slice(0, 2),
        runtime: { ...runtime, hosts: runtime.hosts.slice(0, 2), ...left },
      });
      const plan = async (left: object) => {
        const { inputs: checked, failures } = await restoring.check({}, inputs(left));
        expect(failures).toEqual([]);
        return (checked["plan"] as string[]).filter((sentence) => sentence.includes("no member any more"));
      };
      const left = { left: { deployment: "prod", hosts: [leaving] } };
      expect(await plan({})).toEqual([]);
      expect(await plan(left)).toEqual(["ends etcd-2, no member any more"]);
      await ask("etcd-2", "echo dev >/etc/karmada/deployment");
      expect(await plan(left)).toEqual([]);
      await ask("etcd-2", "rm /etc/karmada/deployment");
    });

    test("all members are given it at once, and what remembers other data is ended, wherever it is", async () => {
      const { inputs } = await processes.check({}, {
        ...{ host: hosts["etcd-2"]!.address, name: "remembering", component: "remembering", follows: "" },
        ...{ program: "/usr/bin/sleep", programSha256: "", args: ["infinity"], env: {}, contents: {} },
        ...{ probe: { kind: "active" }, startSeconds: 20, stopSeconds: 5, notifies: false },
      } as State);
      remembering = (await processes.create(inputs)).outs;
      const before = await clusterId();
      const restored = await restore(await restoreInputs(1, snapshot, before));
      expect(restored).toMatchObject({
        previousClusterId: before,
        incarnations: { "etcd-0": 2, "etcd-1": 2, "etcd-2": 2 },
      });
      await healthy();
      expect(await clusterId()).toBe(restored.clusterId);
      expect(await Promise.all(names.map(value))).toEqual(["of before", "of before", "of before"]);
      expect(
        await ask("etcd-1", "ls -A /var/lib/karmada/etcd-1; stat -c %U /var/lib/karmada/etcd-1/2/member/snap/db"),
      ).toBe(".etcd-restore.json\n1\n2\nkarmada-etcd\n");
      expect(await ask("etcd-2", "systemctl is-active karmada-remembering || true")).toBe("inactive\n");

      const follows = { ...inputs, follows: restored.clusterId };
      expect((await processes.diff("id", remembering, inputs)).changes).toBe(false);
      expect((await processes.diff("id", remembering, follows)).changes).toBe(true);
      remembering = (await processes.update("id", remembering, follows)).outs;
      expect(await ask("etcd-2", "systemctl is-active karmada-remembering")).toBe("active\n");
      expect((await processes.diff("id", remembering, { ...inputs, follows: undefined })).changes).toBe(false);
    }, 120_000);

    test("a restore is done once, and only one of a higher number is another", async () => {
      const again = await restoreInputs(1, snapshot, await clusterId());
      const { inputs: checked, failures } = await restoring.check({}, again);
      expect(failures).toEqual([]);
      expect(checked["plan"]).toEqual([expect.stringMatching(/^generation 1 was restored on 20.*: nothing is done$/)]);
    });

    test("what one survivor still has, though it does not run, becomes the data of all", async () => {
      await keys().delete("/registry/kept");
      await keys().putIfAbsent("/registry/kept", "of the survivor");
      const before = await clusterId();
      for (const name of names) await ask(name, `systemctl stop karmada-${name}`);
      await ask("etcd-0", "rm -rf /var/lib/karmada/etcd-0/2/member");
      const survivor = { kind: "member", member: "etcd-1" };
      const restored = await restore({ ...(await restoreInputs(2, survivor, before)), resume: true });
      expect(restored.incarnations).toEqual({ "etcd-0": 3, "etcd-1": 3, "etcd-2": 3 });
      await healthy();
      expect(await Promise.all(names.map(value))).toEqual(Array(3).fill("of the survivor"));
      await waitFor("the halted program to run again", deadlineIn(10), async () => {
        await ask("etcd-2", "systemctl is-active karmada-remembering");
      });
      beginRun();
      await processes.delete("id", remembering);
      cluster = (await membership.read("id", cluster)).props;
    }, 120_000);
  });

  test("have their snapshots taken by the clock on a host, by a program that nothing there has to be installed for", async () => {
    const address = hosts["etcd-0"]!.address;
    const { node, file, args } = bundledProgram("lib/backup/main.ts");
    const etcdutl = await programPath("etcdutl");
    const digest = createHash("sha256").update(readFileSync(etcdutl)).digest("hex");
    const there = await programs.create({
      host: address,
      programs: { node: node.sha256, [file.name]: file.sha256, etcdutl: digest },
      sources: { node: node.path, [file.name]: file.path, etcdutl },
    });
    const at = (key: string) => `/etc/karmada/etcd-backup/${key}`;
    const { inputs } = await processes.check({}, {
      ...{ host: address, name: "etcd-backup", component: "etcd-backup", program: "node", programSha256: node.sha256 },
      ...{ args: [...args, hostPath(file.sha256, file.name), at("settings.json")], env: {}, notifies: false },
      contents: {
        "settings.json": JSON.stringify({
          deployment: "prod",
          karmadaVersion: "1.18.2",
          etcd: {
            ...{ endpoints: names.map((name) => url(name, 2379)), parts: [], prefix: "/registry" },
            ...{ ca: at("ca.crt"), certificate: at("tls.crt"), key: at("tls.key") },
          },
          targets: [{ kind: "local", directory: "/backup" }],
          encryption: { kind: "key-file", path: at("encryption.key") },
          verify: "restore",
          schedule: { cron: "15 * * * *", jitterSeconds: 1 },
          keep: { last: 2, hourly: 0, daily: 0, weekly: 0 },
          programs: { etcd: hostPath(sha256, "etcd"), etcdutl: hostPath(digest, "etcdutl") },
          apartFrom: ["/var/lib/karmada/etcd-0"],
          directory: "/var/lib/karmada/etcd-backup",
          listen: { address: "127.0.0.1", port: 2382 },
        }),
        "encryption.key": "ab".repeat(32),
        ...{ "ca.crt": authority.certificate, "tls.crt": leaf.certificate, "tls.key": leaf.key },
      },
      probe: { kind: "http", scheme: "http", port: 2382, path: "/healthz" },
      ...{ startSeconds: 60, stopSeconds: 10, unitSettings: { MemoryDenyWriteExecute: ["no"] } },
      writes: [{ path: "/backup", own: ["prod"] }],
    } as State);
    await new EtcdKeys(client, url("etcd-0", 2379)).putIfAbsent("/registry/kept", "");
    const process = (await processes.create(inputs)).outs;
    const statusInputs = { path: "/var/lib/karmada/etcd-backup/status.json", host: address, versions: {}, gate: true };
    const { id, outs } = await backups.create({ ...statusInputs, timeoutSeconds: 60 });
    expect(id).toBe(`${address.name} (${address.address}): /var/lib/karmada/etcd-backup/status.json`);
    expect(outs).toMatchObject({ lastSuccess: expect.any(String) });
    expect(outs.problem).toBeUndefined();
    expect((await ask("etcd-0", "stat -c '%U %a %n' /backup/prod/*.aes")).trim()).toMatch(
      /^karmada-etcd-backup 600 \/backup\/prod\/.*\.db\.aes$/,
    );
    expect((await processes.read("id", process)).props?.["drift"]).toBeUndefined();

    await ask("etcd-0", "rm /var/lib/karmada/etcd-backup/status.json");
    const { props } = await backups.read(id, outs);
    expect(props?.["drift"]).toEqual([`${id}: there is no status`]);
    beginRun();
    await processes.delete("id", process);
    await programs.delete("id", there.outs);
    expect(await ask("etcd-0", "ls /backup/prod | wc -l")).toBe("2\n");
  }, 180_000);

  test("leave one by one, which end and stay ended", async () => {
    await bring(["etcd-0"]);
    expect((await pids()).map((pid) => pid !== "0")).toEqual([true, false, false]);
    expect(await ask("etcd-1", "systemctl is-enabled karmada-etcd-1.service || true")).toBe("disabled\n");
    await healthy(["etcd-0"]);
  }, 120_000);

  test("leave nothing behind, but not while one runs", async () => {
    beginRun();
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
