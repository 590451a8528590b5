import { jest } from "@jest/globals";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { execa } from "execa";
import type { HostAddress } from "../../lib/hosts/address.ts";
import { closeHosts, hostAt } from "../../lib/hosts/hosts.ts";
import { restartPrograms } from "../../lib/programs/restart.ts";
import { haltOnHosts, resumeOnHosts } from "../../lib/etcd/runtime/host-programs.ts";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { provider as preflight } from "../../providers/host-preflight-impl.ts";
import { provider as process_ } from "../../providers/host-process-impl.ts";
import { provider as former } from "../../providers/host-program-impl.ts";
import { provider as programs } from "../../providers/host-programs-impl.ts";
import { beginRun } from "../../providers/still-declared.ts";
import { createAuthority } from "../support/certificates.ts";
import { fingerprintOf } from "../support/host-fingerprint.ts";
import { hasLab, Lab, type LabHost } from "../support/nspawn-lab.ts";
import { programPath } from "../support/programs.ts";
import { idleProcess } from "./support/idle-process.ts";

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as the engine hands it over
type State = any;

const describeLab = hasLab() ? describe : describe.skip;
const anotherKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ";

describeLab("etcd on a host", () => {
  let lab: Lab;
  let machine: LabHost;
  let source: string;
  let sha256: string;
  let before: string;
  /** As the engine would have it. */
  let state: Record<string, unknown>;
  const program: { state?: Record<string, unknown> } = {};

  beforeAll(async () => {
    source = await programPath("etcd");
    sha256 = createHash("sha256").update(readFileSync(source)).digest("hex");
    lab = new Lab(10);
    machine = await lab.add(1);
    before = await fingerprintOf(machine);
  }, 300_000);
  afterAll(async () => {
    closeHosts();
    await lab.stop();
  });

  const host = (): HostAddress => machine.address;
  const ask = (script: string) => hostAt(host()).run("asking", script);
  const unit = "karmada-etcd-0.service";
  const property = async (name: string) => (await ask(`systemctl show ${unit} -p ${name} --value`)).trim();

  const inputs = (change: object = {}) => ({
    host: host(),
    name: "etcd-0",
    component: "etcd",
    program: basename(source),
    programSha256: sha256,
    args: [
      "--name=etcd-0",
      "--data-dir=/var/lib/karmada/etcd-0/1",
      `--listen-client-urls=http://${machine.ip}:2379`,
      `--advertise-client-urls=http://${machine.ip}:2379`,
      "--listen-peer-urls=http://127.0.0.1:2380",
      "--listen-metrics-urls=http://127.0.0.1:2381",
      // A value that systemd and a shell would each take for something else.
      '--initial-cluster-token=a b"c$d%e',
      "--initial-cluster=etcd-0=http://127.0.0.1:2380",
      "--initial-advertise-peer-urls=http://127.0.0.1:2380",
    ],
    env: { GOMAXPROCS: "1" },
    contents: { "pki/ca.crt": "certificate", "pki/server.key": "s3cr3t" },
    probe: { kind: "http", scheme: "http", port: 2381, path: "/readyz" },
    startSeconds: 60,
    stopSeconds: 10,
    memoryBytes: 512 * 2 ** 20,
    notifies: true,
    ...change,
  });
  const up = async (change: object = {}) => {
    const { inputs: checked, failures } = await process_.check(state ?? {}, inputs(change));
    expect(failures).toEqual([]);
    const result = state === undefined ? await process_.create(checked) : await process_.update("id", state, checked);
    state = result.outs as Record<string, unknown>;
  };
  /** As a later run does. */
  const remove = (state: State) => {
    beginRun();
    return process_.delete("id", state);
  };
  const drift = async () => (await process_.read("id", state)).props?.["drift"] as string[] | undefined;
  /** What the preview of another run of the program warns of. */
  const warned = async (change: object = {}, before: object = state) => {
    closeHosts();
    const warn = jest.spyOn(console, "warn").mockImplementation(() => undefined);
    await process_.check(before, inputs(change));
    const said = warn.mock.calls.flat() as string[];
    warn.mockRestore();
    return said;
  };
  /** Of all files that are declared, when they have another group. */
  const access = (group: string) =>
    ["pki/ca.crt", "pki/server.key"].map((key) => `file ${key} is 640 root:${group}, want 640 root:karmada-etcd`);
  const idle = (change: object) => idleProcess(host(), change);
  const half = (change: object = {}) => idle({ name: "half", component: "half", contents: { file: "x" }, ...change });
  const ofRefresh = "`refresh` and then `up` put it as it is declared, and so does an `up` that changes it";

  test("takes the host, once nothing speaks against it", async () => {
    const hosts = { lab10h1: { address: host(), ports: { "etcd-0 client": 2379 }, reached: [2379], etcd: true } };
    const inputs = { deployment: "prod", hosts };
    const began = Date.now();
    const { outs } = await preflight.create(inputs);
    expect(outs).toMatchObject({ systems: { lab10h1: "debian 12" } });
    const { firstTakenAt } = outs as { firstTakenAt: number };
    expect(firstTakenAt).toBeGreaterThanOrEqual(began);
    expect(firstTakenAt).toBeLessThanOrEqual(Date.now());
    // Taken again it is as old as before; by a run that knows nothing of one that was cut off it is not new.
    expect((await preflight.update("id", outs!, inputs)).outs).toMatchObject({ firstTakenAt });
    expect((await preflight.create(inputs)).outs).not.toHaveProperty("firstTakenAt");
    expect(await ask("cat /etc/karmada/deployment")).toBe("prod");
    await expect(preflight.create({ deployment: "dev", hosts })).rejects.toThrow(
      `the hosts cannot be used, nothing was changed:\nlab10h1 (${machine.ip}): deployment "prod" has it\ndestroy that one first, or use another host`,
    );
    // What a state that was lost, or is another's, has no idea of is not overwritten; what has been ended may be.
    await ask("systemd-run --quiet --unit=karmada-etcd-0 sleep infinity");
    await expect(preflight.create(inputs)).rejects.toThrow(
      `lab10h1 (${machine.ip}): deployment "prod" runs there already (karmada-etcd-0.service), and the state of this stack knows nothing of that\nuse the state it was made with`,
    );
    await preflight.update("id", outs!, inputs);
    const renamed = { h1: { ...hosts.lab10h1, address: { ...host(), name: "h1" } } };
    const { outs: now } = await preflight.update("id", outs!, { ...inputs, hosts: renamed });
    expect(await ask("cat /etc/karmada/deployment")).toBe("prod");
    expect(Object.keys((now as { taken: object }).taken)).toEqual(["h1"]);
    await ask("systemctl stop karmada-etcd-0");
    await preflight.create(inputs);
  });

  test("says all that speaks against all hosts at once, and changes nothing", async () => {
    await ask("rm -r /etc/karmada");
    await ask("useradd -m guest; cp -r /root/.ssh /home/guest/; chown -R guest: /home/guest");
    const untouched = await fingerprintOf(machine);
    const other = (name: string, change: object) => {
      const address = { ...host(), name, ...change } as HostAddress;
      return { [name]: { address, ports: {}, reached: [2380], etcd: false } };
    };
    const failed = preflight.create({
      deployment: "prod",
      hosts: {
        h1: { address: host(), ports: { ssh: 22 }, reached: [], etcd: false },
        ...other("h2", { address: "10.88.10.99" }),
        ...other("h3", { user: "nobody" }),
        ...other("h4", { user: "guest" }),
        ...other("h5", { hostKey: anotherKey }),
      },
    });
    const message = await failed.catch((error: Error) => error.message);
    const found = String(message).split(/\n(?=\w+ \([\d.]+\): )/);
    const [ip, shown] = [machine.ip.replaceAll(".", "\\."), "SHA256:\\S+"];
    const expected = [
      "^the hosts cannot be used, nothing was changed:$",
      "^h2 \\(10\\.88\\.10\\.99\\): asking for its time: waited 15s for a login: (.*EHOSTUNREACH|no answer from)",
      `^h3 \\(${ip}\\): asking for its time: ${ip}:22 does not let user "nobody" in: tried a private key$`,
      `^h4 \\(${ip}\\): asking for its time: sudo: a password is required\nlet user "guest" run everything without a password`,
      `^h5 \\(${ip}\\): asking for its time: ${ip}:22 shows another host key: got ${shown} \\(ssh-ed25519\\), want ${shown}\n`,
      `^lab10h1 \\(${ip}\\): port 22 \\(ssh\\) is in use by sshd \\(pid \\d+\\)$`,
      `^lab10h1 \\(${ip}\\): cannot reach 10\\.88\\.10\\.99:2380: `,
    ];
    expect(found).toEqual(expected.map((each) => expect.stringMatching(new RegExp(each))));
    expect(await fingerprintOf(machine)).toBe(untouched);
    // Its login is open still.
    await ask("userdel -rf guest 2>/dev/null");
    expect(await fingerprintOf(machine)).toBe(before);
  }, 60_000);

  test("is found to be one machine that goes by two names", async () => {
    await ask("ip addr add 10.88.10.77/24 dev host0");
    const wanted = (name: string, address: string) => {
      const other = { ...host(), name, address } as HostAddress;
      return { [name]: { address: other, ports: {}, reached: [], etcd: false } };
    };
    const hosts = { ...wanted("h1", machine.ip), ...wanted("h2", "10.88.10.77") };
    const id = readFileSync(machine.path("/etc/machine-id"), "utf8").trim();
    await expect(preflight.create({ deployment: "prod", hosts })).rejects.toThrow(
      `the hosts cannot be used, nothing was changed:\nh2 (10.88.10.77): is the same machine as h1 (${machine.ip}): both have the machine-id ${id}\n`,
    );
    await ask("ip addr del 10.88.10.77/24 dev host0");
    expect(await fingerprintOf(machine)).toBe(before);
  });

  test("has its program sent once, by whom it was not obtained too", async () => {
    const wanted = { host: host(), programs: { etcd: sha256 }, sources: { etcd: source } };
    const { outs } = await programs.create(wanted);
    program.state = outs!;
    expect(outs).toMatchObject({ programs: { etcd: sha256 }, previous: {} });
    expect((await programs.read("id", outs!)).props?.["drift"]).toBeUndefined();
    rmSync(machine.path(`/opt/karmada/${sha256}/etcd`));
    expect((await programs.read("id", outs!)).props?.["drift"]).toEqual([
      `lab10h1 (${machine.ip}): /opt/karmada/${sha256}/etcd is not as it was sent`,
    ]);
    await programs.update("id", outs!, { ...wanted, sources: { etcd: "/home/colleague/etcd" } });
    expect((await programs.read("id", outs!)).props?.["drift"]).toBeUndefined();
  });

  test("keeps the version before, to which it goes back without its being sent again, and no older one", async () => {
    const scripts = ["1", "2", "3"].map((number) => {
      const path = join(lab.directory, `tool-${number}`);
      writeFileSync(path, `#!/bin/sh\necho ${number}\n`);
      return { path, digest: createHash("sha256").update(readFileSync(path)).digest("hex") };
    });
    const tool = (i: number) => ({
      host: host(),
      programs: { tool: scripts[i]!.digest },
      sources: { tool: scripts[i]!.path },
    });
    const there = async () => (await ask("cat /opt/karmada/*/tool | sed -n 's/^echo //p' | sort")).trim().split("\n");
    let { outs } = await programs.create(tool(0));
    const go = async (i: number) => ({ outs } = await programs.update("id", outs!, tool(i)));
    const inode = () => ask(`stat -c '%i %Y' /opt/karmada/${scripts[0]!.digest}/tool`);
    const first = await inode();
    await go(1);
    expect(await there()).toEqual(["1", "2"]);
    await go(0);
    expect(await inode()).toBe(first);
    expect(outs).toMatchObject({ previous: { tool: scripts[1]!.digest } });
    await go(2);
    expect(await there()).toEqual(["1", "3"]);
    await programs.delete("id", outs!);
    expect(await ask("find /opt/karmada -name 'tool*'")).toBe("");
  });

  test("keeps what is not wanted any more until others are replaced: it may still run", async () => {
    const path = (name: string) => join(lab.directory, name);
    const digest = (name: string) =>
      createHash("sha256")
        .update(readFileSync(path(name)))
        .digest("hex");
    for (const name of ["one", "two", "three"]) writeFileSync(path(name), `of ${name}\n`);
    const having = (...files: string[]) => ({
      host: host(),
      programs: Object.fromEntries(files.map((name) => [name, digest(name)])),
      sources: Object.fromEntries(files.map((name) => [name, path(name)])),
    });
    const there = async () =>
      (await ask("cat /opt/karmada/*/one /opt/karmada/*/two /opt/karmada/*/three || true")).trim();
    const of = (...names: string[]) => names.map((name) => `of ${name}`).join("\n");
    let { outs } = await programs.create(having("one", "two"));
    const go = async (...files: string[]) => ({ outs } = await programs.update("id", outs!, having(...files)));
    await go("two");
    expect(outs).toMatchObject({ previous: { one: digest("one") } });
    expect(await there()).toBe(of("one", "two"));
    await go("two", "three");
    expect(outs).toMatchObject({ previous: {} });
    expect(await there()).toBe(of("two", "three"));
    await programs.delete("id", outs!);
    expect(await there()).toBe("");
  });

  test("remembers what has come to it of what could not come whole, so that it goes again", async () => {
    const path = join(lab.directory, "arrives");
    writeFileSync(path, "of it\n");
    const digests = ["a", "b"].map((each) => each.repeat(64));
    const arrives = createHash("sha256").update(readFileSync(path)).digest("hex");
    const wanted = {
      host: host(),
      programs: { arrives, lost: digests[0], missing: digests[1] },
      sources: { arrives: path, lost: `${path}-not`, missing: `${path}-neither` },
    };
    const failed = await programs.create(wanted).then(
      () => undefined,
      (error: Error & { id?: string; properties?: State }) => error,
    );
    expect(failed?.message.split("\n")).toEqual(
      ["not", "neither"].map((end) =>
        expect.stringContaining(`ENOENT: no such file or directory, stat '${path}-${end}'`),
      ),
    );
    expect(failed?.properties).toMatchObject({ programs: wanted.programs, previous: {} });
    expect(await ask("ls /opt/karmada/*/arrives")).not.toBe("");
    await programs.delete("id", failed!.properties);
    expect(await ask("find /opt/karmada -name 'arrives*'")).toBe("");
  });

  test("remembers the same of what came with a change, and what was there before it", async () => {
    const path = join(lab.directory, "comes");
    writeFileSync(path, "before\n");
    const digest = () => createHash("sha256").update(readFileSync(path)).digest("hex");
    const before = digest();
    const sources = { comes: path, more: path, missing: `${path}-not` };
    const was = { host: host(), programs: { comes: before }, sources };
    const { outs } = await programs.create(was);
    writeFileSync(path, "after\n");
    const wanted = { ...was, programs: { comes: digest(), more: digest(), missing: "a".repeat(64) } };
    const failed = await programs.update("id", outs as State, wanted).then(
      () => undefined,
      (error: Error & { properties?: State }) => error,
    );
    expect(failed?.properties).toMatchObject({ programs: wanted.programs, previous: { comes: before } });
    expect(await ask("ls /opt/karmada/*/more")).not.toBe("");
    await programs.delete("id", failed!.properties);
    expect(await ask("find /opt/karmada -name 'comes*' -o -name 'more*'")).toBe("");
  });

  test("loses nothing that a process uses when it is let go of by stacks that had a resource for each program", async () => {
    const names = ["linked", "in-unit", "in-file", "unused"];
    const at = (name: string) =>
      `/opt/karmada/${"0".repeat(60)}${String(names.indexOf(name)).padStart(4, "0")}/${name}`;
    await ask(
      [
        ...names.map((name) => `install -D /bin/true ${at(name)}`),
        `mkdir -p /opt/karmada/bin /etc/karmada/some; ln -s ${at("linked")} /opt/karmada/bin/some`,
        `printf 'ExecStart=/opt/karmada/bin/some ${at("in-unit")} x\n' >/etc/systemd/system/karmada-some.service`,
        `printf '{"programs":{"x":"${at("in-file")}"}}' >/etc/karmada/some/settings.json`,
      ].join("\n"),
    );
    const newer = at("linked").replace("/opt/karmada/0", "/opt/karmada/1");
    await ask(`install -D /bin/true ${newer}`);
    const drop = () => Promise.all(names.map((name) => former.delete("id", { host: host(), name, previous: "" })));
    const left = async () =>
      (await ask(`ls ${[...names.map(at), newer].join(" ")} 2>/dev/null || true`)).trim().split("\n");
    await drop();
    expect(await left()).toEqual([...names.slice(0, 3).map(at), newer]);
    await ask("rm -r /opt/karmada/bin/some /etc/karmada/some /etc/systemd/system/karmada-some.service");
    await drop();
    expect(await left()).toEqual([""]);
  });

  test("runs as a user of its own, in a sandbox, and serves when it is created", async () => {
    await up();
    expect(await ask(`wget -qO- http://127.0.0.1:2381/readyz 2>/dev/null || ss -Hltn sport = 2381`)).not.toBe("");
    const pid = await property("MainPID");
    expect(await ask(`stat -c %U /proc/${pid}`)).toBe("karmada-etcd\n");
    expect(await ask(`sed -n 's/^\\(CapEff\\|NoNewPrivs\\|Seccomp\\):\\s*//p' /proc/${pid}/status`)).toBe(
      "0000000000000000\n1\n2\n",
    );
    expect(await property("MemoryMax")).toBe(String(512 * 2 ** 20));
    expect(await ask(`tr '\\0' '\\n' </proc/${pid}/cmdline | grep token`)).toBe('--initial-cluster-token=a b"c$d%e\n');
    expect(await property("UnitFileState")).toBe("enabled");
    expect(
      await ask("stat -c '%a %U:%G' /etc/karmada/etcd-0/pki/server.key /etc/karmada/etcd-0 /var/lib/karmada/etcd-0"),
    ).toBe("640 root:karmada-etcd\n750 root:karmada-etcd\n700 karmada-etcd:karmada-etcd\n");
    const exposure = await ask(`systemd-analyze security ${unit} --no-pager | tail -1`);
    expect(Number(/: ([\d.]+)/.exec(exposure)?.[1])).toBeLessThan(2);
    expect(await drift()).toBeUndefined();
  });

  test("is left alone when nothing differs, and when a file changes that it reads again", async () => {
    const pid = await property("MainPID");
    await up();
    await up({ rereads: ["pki/ca.crt"] });
    const second = await property("MainPID");
    await up({ rereads: ["pki/ca.crt"], contents: { "pki/ca.crt": "another", "pki/server.key": "s3cr3t" } });
    expect(await property("MainPID")).toBe(second);
    expect(await ask("cat /etc/karmada/etcd-0/pki/ca.crt")).toBe("another");
    await up();
    expect(pid).not.toBe("0");
  });

  test("is started again for another argument, keeps its data, and loses files that are not declared any more", async () => {
    const pid = await property("MainPID");
    await up({ env: { GOMAXPROCS: "2" }, contents: { "pki/ca.crt": "certificate" } });
    expect(await property("MainPID")).not.toBe(pid);
    expect(await ask("ls /etc/karmada/etcd-0/pki /var/lib/karmada/etcd-0")).toBe(
      "/etc/karmada/etcd-0/pki:\nca.crt\n\n/var/lib/karmada/etcd-0:\n1\n",
    );
    await up();
  });

  test.each([
    ["a changed file", "echo x >>/etc/karmada/etcd-0/pki/ca.crt", ["file pki/ca.crt was changed by hand"]],
    ["a lost file", "rm /etc/karmada/etcd-0/pki/ca.crt", ["file pki/ca.crt is gone"]],
    [
      "a key for everybody to read",
      "chmod 644 /etc/karmada/etcd-0/pki/server.key",
      ["file pki/server.key is 644 root:karmada-etcd, want 640 root:karmada-etcd"],
    ],
    [
      "an edited unit",
      `sed -i s/RestartSec=1s/RestartSec=9s/ /etc/systemd/system/${unit}`,
      ["its unit was changed by hand"],
    ],
    ["a stopped service", `systemctl stop ${unit}`, ["it does not run: inactive (success)"]],
    [
      "a service that would not start with the host",
      `systemctl disable -q ${unit}`,
      ["it would not start with the host"],
    ],
    ["a lost link", "rm /opt/karmada/bin/etcd-0", ["its program is gone"]],
    [
      "a lost unit",
      `systemctl stop ${unit}; rm /etc/systemd/system/${unit}; systemctl daemon-reload`,
      ["its unit is gone", "it does not run: inactive (success)"],
    ],
    ["a deleted user", "userdel -f karmada-etcd", ["its user or group karmada-etcd is gone"]],
    ["a deleted group", "groupdel -f karmada-etcd", ["its user or group karmada-etcd is gone"]],
    [
      "a user that was made anew",
      "userdel -f karmada-etcd; useradd --system --uid 777 --user-group karmada-etcd",
      ["its data belong to UNKNOWN:UNKNOWN, want karmada-etcd:karmada-etcd", ...access("UNKNOWN")],
    ],
    ["a lost unit of one that runs", `rm /etc/systemd/system/${unit}`, ["its unit is gone"]],
  ])("finds and repairs %s", async (_, damage, found) => {
    await ask(damage);
    expect(await drift()).toEqual(found);
    expect(await warned()).toEqual([`lab10h1 (${machine.ip}): etcd-0: ${found.join("; ")}\n${ofRefresh}`]);
    await up();
    expect(await drift()).toBeUndefined();
    expect(await warned()).toEqual([]);
    expect(await property("ActiveState")).toBe("active");
    expect(await property("NeedDaemonReload")).toBe("no");
  });

  test.each([
    ["a file", "echo x >>/etc/karmada/etcd-0/pki/ca.crt"],
    ["its unit", `sed -i s/RestartSec=1s/RestartSec=9s/ /etc/systemd/system/${unit}; systemctl daemon-reload`],
  ])("runs as it is declared again where %s was edited and it was started anew since", async (_, edit) => {
    await ask(`${edit}; systemctl restart ${unit}`);
    const edited = await property("MainPID");
    await up();
    expect(await property("MainPID")).not.toBe(edited);
    expect(await drift()).toBeUndefined();
  });

  test("keeps the numbers of a user that was deleted, so that what runs goes on; of one that was made anew it gets the data", async () => {
    const numbers = () =>
      ask("id -u karmada-etcd; id -g karmada-etcd; stat -c '%u %g' /var/lib/karmada/etcd-0/1/member");
    const before = await numbers();
    await ask("userdel -f karmada-etcd");
    await up();
    expect(await numbers()).toBe(before);
    await ask("userdel -f karmada-etcd; useradd --system --uid 888 --user-group karmada-etcd");
    await up();
    expect(await numbers()).toBe("888\n888\n888 888\n");
    expect(await ask(`stat -c %U /proc/${await property("MainPID")}`)).toBe("karmada-etcd\n");
    await ask("userdel -f karmada-etcd; useradd --system --uid 777 --user-group other");
    await up();
    expect(await ask("id -un karmada-etcd; stat -c %U:%G /var/lib/karmada/etcd-0/1/member")).toBe(
      "karmada-etcd\nkarmada-etcd:karmada-etcd\n",
    );
    await ask("userdel other");
    expect(await drift()).toBeUndefined();
  });

  test("is warned of once in a preview, where a refresh has not found it already and an up was not cut off", async () => {
    const edit = `sed -i s/RestartSec=1s/RestartSec=9s/ /etc/systemd/system/${unit}`;
    await ask(edit);
    const [sentence] = await warned({ env: { GOMAXPROCS: "2" } });
    expect(sentence).toBe(
      `lab10h1 (${machine.ip}): etcd-0: its unit was changed by hand\nthis \`up\` puts it as it is declared`,
    );
    expect(await warned({}, { ...state, drift: await drift() })).toEqual([]);
    expect(await warned({ host: { ...host(), name: "elsewhere" } })).toEqual([]);
    // As the state has it when another version of the program has written the unit.
    expect(await warned({}, { ...state, env: { GOMAXPROCS: "7" } })).toEqual([]);
    await up();
  });

  test("is warned of when it is gone, and with its host when all is", async () => {
    const label = `lab10h1 (${machine.ip})`;
    await ask("mkdir -p /etc/karmada/another && echo >/etc/karmada/another/file");
    await ask("cp -a /etc/karmada /root/karmada && rm -r /etc/karmada/etcd-0");
    await ask(`mv /etc/systemd/system/${unit} /root`);
    expect(await warned()).toEqual([`${label}: etcd-0: nothing of it is there any more\n${ofRefresh}`]);
    await ask("rm -r /etc/karmada");
    expect([await warned(), await warned()]).toEqual([
      [`${label}: nothing of this deployment is there any more\n${ofRefresh}`],
      [],
    ]);
    await ask(`mv /root/karmada /etc && rm -r /etc/karmada/another && mv /root/${unit} /etc/systemd/system`);
    expect(await drift()).toBeUndefined();
  });

  test("comes back by itself when it is killed, and when the power was cut", async () => {
    await ask(`kill -9 ${await property("MainPID")}`);
    await waitFor("it to run again", deadlineIn(30), async () => {
      if ((await drift()) !== undefined) throw new Error("not yet");
    });
    await machine.cutPower();
    await machine.boot();
    await waitFor("it to run again", deadlineIn(60), async () => {
      if ((await drift()) !== undefined) throw new Error("not yet");
    });
  }, 120_000);

  test("names the host that goes down in the middle of a change, which goes on once it is back", async () => {
    const { inputs: checked } = await process_.check(state, inputs({ env: { GOMAXPROCS: "3" }, startSeconds: 10 }));
    const changing = process_.update("id", state, checked).catch((error: Error) => error.message);
    const attempt = async () => {
      if ((await property("ActiveState")) === "active") throw new Error("not yet");
    };
    // etcd is started again in a moment.
    await waitFor("the change to begin", deadlineIn(10), attempt, { interval: 5, maxInterval: 5 });
    await machine.cutPower();
    expect(await changing).toMatch(/^(etcd-0 on )?lab10h1 \(10\.88\.10\.11\): /);
    await machine.boot();
    // As in the next run of the program.
    closeHosts();
    await up({ env: { GOMAXPROCS: "3" } });
    expect(await drift()).toBeUndefined();
    await up();
  }, 120_000);

  test("says why it does not start, with the end of its log, and goes on from there", async () => {
    const { inputs: checked } = await process_.check(
      state,
      inputs({ args: [...inputs().args, "--listen-client-urls=http://203.0.113.1:2379"] }),
    );
    const failed = await process_.update("id", state, checked).catch((error: unknown) => error);
    expect((failed as Error).message).toMatch(
      /^etcd-0 on lab10h1 \(10\.88\.10\.11\): started, but not ready: it ended \d+ times in a row\nthe end of its log:\n[\s\S]*cannot assign requested address/,
    );
    state = (failed as { properties: Record<string, unknown> }).properties;
    await up();
    expect(await drift()).toBeUndefined();
  }, 120_000);

  test("waits for one that failed when it was to end, as long as systemd is still to start it again", async () => {
    const leader = (lives: string) => half({ program: "/usr/bin/sh", args: ["-c", `trap 'exit 1' TERM; ${lives}`] });
    const { outs } = await process_.create(await leader("while sleep 0.1; do :; done"));
    machine.write("/etc/systemd/system/busy.service", "[Service]\nType=oneshot\nExecStart=sleep 5\n");
    machine.write("/etc/systemd/system/karmada-half.service.d/after.conf", "[Unit]\nAfter=busy.service\n");
    await ask("systemctl daemon-reload; systemctl start --no-block busy");
    const changed = await process_.update("id", outs as State, await leader("while sleep 0.2; do :; done"));
    expect(await ask("systemctl is-active karmada-half")).toBe("active\n");
    await remove(changed.outs);
    await ask(
      "rm -r /etc/systemd/system/busy.service /etc/systemd/system/karmada-half.service.d; systemctl daemon-reload",
    );
  }, 60_000);

  test("listens again where it did by the time that it has been started again to read something anew", async () => {
    const listener =
      "if [ -e /etc/quiet ]; then exec sleep infinity; fi; sleep 1; exec systemd-socket-activate --accept -l 127.0.0.1:7777 cat";
    const probe = { kind: "tcp", port: 7777 };
    const { outs } = await process_.create(await half({ program: "/usr/bin/sh", args: ["-c", listener], probe }));
    const pid = () => ask("systemctl show karmada-half -p MainPID --value");
    const before = await pid();
    await restartPrograms({ kind: "hosts", members: {}, hosts: [host()] }, ["half", "of-another-host"]);
    expect(await ask("ss -Hltn sport = :7777")).toContain("127.0.0.1:7777");
    expect(await pid()).not.toBe(before);
    await ask("touch /etc/quiet");
    const said = jest.spyOn(console, "log").mockImplementation(() => {});
    await restartPrograms({ kind: "hosts", members: {}, hosts: [host()] }, ["half"]);
    expect(said.mock.calls.flat()).toEqual([
      `warning: lab10h1 (${machine.ip}): half does not listen where it did before it was started again; the next one is started again all the same`,
    ]);
    said.mockRestore();
    await ask("rm /etc/quiet");
    await remove(outs as State);
  }, 120_000);

  test("verifies a server's certificate through the host, and shows its own", async () => {
    const authority = await createAuthority("test");
    const server = await authority.issue({ commonName: "etcd", hosts: ["localhost"] });
    const contents = {
      "pki/ca.crt": authority.certificate,
      "pki/server.crt": server.certificate,
      "pki/server.key": server.key,
      "pki/other.crt": (await createAuthority("other")).certificate,
    };
    const secured = (ca: string, seconds: number) => ({
      contents,
      args: [
        ...inputs().args.filter((arg) => !/client-urls/.test(arg)),
        "--listen-client-urls=https://127.0.0.1:2379",
        "--advertise-client-urls=https://127.0.0.1:2379",
        "--cert-file=/etc/karmada/etcd-0/pki/server.crt",
        "--key-file=/etc/karmada/etcd-0/pki/server.key",
        "--trusted-ca-file=/etc/karmada/etcd-0/pki/ca.crt",
        "--client-cert-auth=true",
      ],
      probe: {
        kind: "http",
        scheme: "https",
        port: 2379,
        path: "/health",
        ca,
        certificate: "pki/server.crt",
        key: "pki/server.key",
      },
      startSeconds: seconds,
    });
    await up(secured("pki/ca.crt", 60));
    await expect(up(secured("pki/other.crt", 2))).rejects.toThrow(
      /https:\/\/localhost:2379\/health: .*(unable to|certificate|self)/,
    );
    await up();
  }, 120_000);

  test("stays in the state as it is while another machine answers in its host's place, and then is let go of", async () => {
    const elsewhere = { ...state, host: { ...host(), hostKey: anotherKey } };
    const said = jest.spyOn(console, "log").mockImplementation(() => undefined);
    expect(await process_.read("id", elsewhere)).toEqual({ id: "id", props: elsewhere });
    await remove(elsewhere);
    await remove(elsewhere);
    const sentences = said.mock.calls.map(([sentence]) => String(sentence).split("\n"));
    said.mockRestore();
    const warning = `warning: lab10h1 (${machine.ip}): cannot be reached: ${machine.ip}:22 shows another host key: got`;
    expect(sentences.map(([first]) => first!.startsWith(warning))).toEqual([true, true]);
    expect(sentences.map((lines) => lines.at(-1))).toEqual([
      "what the state has of it is kept",
      "if the host comes back, remove its units karmada-* and /etc/karmada, /var/lib/karmada and /opt/karmada by hand",
    ]);
    expect(await drift()).toBeUndefined();
  });

  test("is asked for a status by a program that ends when it has its answer", async () => {
    await ask("echo '{}' >/var/lib/karmada/status.json");
    const where = { host: host(), path: "/var/lib/karmada/status.json" };
    const module = join(import.meta.dirname, "../../lib/backup/status-at.ts");
    const script = `const { statusOnce } = await import(${JSON.stringify(module)}); console.log(await statusOnce(${JSON.stringify(where)}));`;
    const started = performance.now();
    const { stdout } = await execa(process.execPath, ["--input-type=module", "-e", script], { timeout: 30_000 });
    expect(stdout).toBe("undefined");
    expect(performance.now() - started).toBeLessThan(20_000);
    await ask("rm /var/lib/karmada/status.json");
  }, 60_000);

  test("leaves a drop-in of an operator's as it is, and is limited by it", async () => {
    const dropIn = `/etc/systemd/system/${unit}.d/10-ours.conf`;
    await ask(`mkdir -p ${dropIn.replace(/\/[^/]*$/, "")} && printf '[Service]\nTasksMax=77\n' >${dropIn}`);
    await ask("systemctl daemon-reload");
    expect(await drift()).toBeUndefined();
    await up({ env: { GOMAXPROCS: "2" } });
    expect([await property("TasksMax"), await ask(`tail -1 ${dropIn}`)]).toEqual(["77", "TasksMax=77\n"]);
    expect(await property("LogRateLimitBurst")).toBe("10000");
    await ask(`rm -r ${dropIn.replace(/\/[^/]*$/, "")} && systemctl daemon-reload`);
    await up();
  }, 60_000);

  test("ends another replica of its program that is there, and goes to another host before it ends here", async () => {
    const create = async (name: string) =>
      (await process_.create(await idle({ name, component: "karmada-scheduler" }))).outs as State;
    // Both want a user of the same name at the same time.
    const [second, estimator] = await Promise.all(["karmada-scheduler-1", "m1-karmada-scheduler"].map(create));
    const first = await create("karmada-scheduler");
    const active = (name: string) => ask(`systemctl is-active karmada-${name} || true`);
    expect([await active("scheduler-1"), await active("scheduler")]).toEqual(["inactive\n", "active\n"]);
    expect(await active("m1-karmada-scheduler")).toBe("active\n");

    const at = (change: object) => ({ ...second, host: { ...host(), ...change } });
    const moved = await process_.diff("id", second, at({ name: "h2", address: "10.88.10.12" }));
    expect(moved).toMatchObject({ replaces: ["host"], deleteBeforeReplace: false });
    const renamed = await process_.diff("id", second, at({ name: "h2" }));
    expect(renamed).toMatchObject({ replaces: ["host"], deleteBeforeReplace: true });

    await remove(second);
    expect(await active("scheduler")).toBe("active\n");
    await remove(first);
    await remove(estimator);
  }, 60_000);

  test("ends the eleventh replica, too, and any that was not ended when its own unit was made", async () => {
    const scheduler = (name: string) => idle({ name, component: "karmada-scheduler" });
    const active = (name: string) => ask(`systemctl is-active karmada-${name} || true`);
    const eleventh = (await process_.create(await scheduler("karmada-scheduler-10"))).outs as State;
    const first = (await process_.create(await scheduler("karmada-scheduler"))).outs as State;
    expect([await active("scheduler-10"), await active("scheduler")]).toEqual(["inactive\n", "active\n"]);

    await ask("systemctl stop karmada-scheduler; systemctl start karmada-scheduler-10");
    await process_.update("id", first, await scheduler("karmada-scheduler"));
    expect([await active("scheduler-10"), await active("scheduler")]).toEqual(["inactive\n", "active\n"]);
    await remove(eleventh);
    await remove(first);
  }, 60_000);

  test("stays where it goes back to after a move that was cut off, also when the way back was cut off too", async () => {
    const declared = await half();
    const there = { ...declared, host: { ...host(), name: "h2", address: "10.88.10.12" } };
    const active = () => ask("systemctl is-active karmada-half || true; ls /etc/karmada/half 2>/dev/null || true");
    const said = jest.spyOn(console, "log").mockImplementation(() => undefined);
    const { id, outs: former } = await process_.create(declared);
    // The old state is pending delete by now, and the one at the other host is replaced.
    beginRun();
    await half();
    expect(await process_.diff("h2/half", there, declared)).toMatchObject({ replaces: ["host"] });
    const { outs: back } = await process_.create(declared);
    await process_.delete(id!, former as State);
    expect(await active()).toBe("active\nfile\n");

    beginRun();
    await process_.diff(id!, back as State, await half());
    await process_.delete(id!, former as State);
    expect(await active()).toBe("active\nfile\n");
    expect(said.mock.calls.flat()).toEqual(
      Array(2).fill("lab10h1/half: is declared there again, so it stays as it is"),
    );
    said.mockRestore();

    // What a refresh asks in the same run is no declaration, nor is that of another place.
    beginRun();
    await process_.diff(id!, back as State, declared);
    await process_.check({}, there);
    expect(await process_.diff(id!, back as State, there)).toMatchObject({ replaces: ["host"] });
    await process_.delete(id!, back as State);
    expect(await active()).toBe("inactive\n");
  }, 60_000);

  test("waits for the group of its user, which another process of its kind is just being given", async () => {
    const accounts = `echo karmada-half:x:980:980::/:/usr/sbin/nologin >>/etc/passwd; sleep 3; echo karmada-half:x:980: >>/etc/group`;
    await ask(`systemd-run --quiet flock /run/karmada-accounts.lock sh -c '${accounts}'; sleep 0.5`);
    const { outs } = await process_.create(await half());
    expect(await ask("stat -c %G /etc/karmada/half")).toBe("karmada-half\n");
    await remove(outs as State);
  }, 60_000);

  test("is taken up as an operator's drop-in says that was there before it", async () => {
    const dropIns = "/etc/systemd/system/karmada-half.service.d";
    await ask(`mkdir ${dropIns} && printf '[Install]\nAlias=half-as-much.service\n' >${dropIns}/10-ours.conf`);
    const { outs } = await process_.create(await half());
    expect(await ask("systemctl is-enabled half-as-much.service karmada-half.service")).toBe("alias\nenabled\n");
    await remove(outs as State);
    await ask(`rm -r ${dropIns} && systemctl daemon-reload`);
  }, 60_000);

  test("is started again for an operator's drop-in that it lacked when it was started, and left alone once it serves", async () => {
    const dropIns = "/etc/systemd/system/karmada-half.service.d";
    const pid = () => ask("systemctl show karmada-half -p MainPID --value");
    const serve = "exec systemd-socket-activate --accept -l 127.0.0.1:7777 cat";
    const wanting = async (startSeconds: number) =>
      half({
        program: "/usr/bin/sh",
        args: ["-c", `if [ -n "$OURS" ]; then ${serve}; fi; exec sleep infinity`],
        probe: { kind: "tcp", port: 7777 },
        startSeconds,
      });
    const failed = process_.create(await wanting(2)).catch((error: unknown) => error);
    let half_ = ((await failed) as { properties: State }).properties;
    const again = async (startSeconds: number) => {
      const updated = process_.update("id", half_, await wanting(startSeconds));
      half_ = (
        (await updated.catch((error: unknown) => ({ outs: (error as { properties: State }).properties }))) as State
      ).outs;
    };
    const first = await pid();
    await again(2);
    expect(await pid()).toBe(first);

    const log = jest.spyOn(console, "log").mockImplementation(() => undefined);
    await ask(`sleep 1; mkdir ${dropIns} && printf '[Service]\nEnvironment=OURS=1\n' >${dropIns}/ours.conf`);
    await again(20);
    const second = await pid();
    expect(second).not.toBe(first);
    expect(log.mock.calls).toEqual([
      [`${hostAt(host()).label}: half was started before ${dropIns}/ours.conf: starting it again`],
    ]);

    await ask(`sleep 1; echo Environment=OURS= >>${dropIns}/ours.conf; systemctl daemon-reload`);
    await again(20);
    expect(await pid()).toBe(second);

    // It serves no more, and its drop-in is mended by one who has had systemd read it.
    await ask("systemctl restart karmada-half");
    const third = await pid();
    await ask(`sleep 2; printf '[Service]\nEnvironment=OURS=2\n' >${dropIns}/ours.conf; systemctl daemon-reload`);
    await again(20);
    expect(await pid()).not.toBe(third);
    log.mockRestore();
    await remove(half_);
    await ask(`rm -r ${dropIns} && systemctl daemon-reload`);
  }, 120_000);

  test("that ends each time is started with a drop-in that has come since, which nobody had systemd read", async () => {
    const dropIns = "/etc/systemd/system/karmada-half.service.d";
    const wanting = await half({ program: "/usr/bin/sh", args: ["-c", '[ -n "$OURS" ] && exec sleep infinity'] });
    const failed = await process_.create(wanting).catch((error: unknown) => error);
    await ask(`mkdir ${dropIns} && printf '[Service]\nEnvironment=OURS=1\n' >${dropIns}/ours.conf`);
    const { outs } = await process_.update("id", (failed as { properties: State }).properties, wanting);
    expect(await ask("sleep 2; systemctl show karmada-half -p NRestarts --value")).toBe("0\n");
    await remove(outs);
    await ask(`rm -r ${dropIns} && systemctl daemon-reload`);
  }, 120_000);

  test("is found by what of it runs when all its files are lost, and runs as it is declared then", async () => {
    await process_.create(await half());
    const pid = await ask("systemctl show karmada-half -p MainPID --value");
    await ask(
      "rm -r /etc/karmada/half /var/lib/karmada/half /opt/karmada/bin/half /etc/systemd/system/karmada-half.service",
    );
    const { outs } = await process_.create(await half({ args: ["8640000"] }));
    expect(await ask("systemctl show karmada-half -p MainPID --value")).not.toBe(pid);
    expect(await ask("systemctl show karmada-half -p UnitFileState -p NeedDaemonReload --value")).toBe("enabled\nno\n");
    expect(await ask("pgrep -af 8640000")).toMatch(/^\d+ \/opt\/karmada\/bin\/half 8640000\n$/);
    await remove(outs as State);
  }, 60_000);

  test("is not ready by the answer of somebody else at its port", async () => {
    const stranger = { kind: "tcp", port: 22 };
    // One that ends at once runs for a moment, on a busy machine for a long one.
    const never = await half({ program: "/usr/bin/not-there", args: [], probe: stranger, startSeconds: 3 });
    await expect(process_.create(never)).rejects.toThrow(/half on .*somebody answers, but it does not run/);

    // A restore halts it all the same: it could come to run at any time.
    const state = () => ask("systemctl is-active karmada-half || true");
    await haltOnHosts([host()], ["half", "of-another-host"]);
    expect(await state()).toBe("inactive\n");
    await resumeOnHosts([host()], ["half", "of-another-host"]);
    expect(await state()).toBe("activating\n");

    const { outs } = await process_.create(await half({ probe: stranger }));
    await remove(outs as State);
  }, 60_000);

  test("has ended before it is started anew for an edited file, which its probe would not tell", async () => {
    const slow = ["-c", "trap 'sleep 2; exit 0' TERM; while :; do sleep 1 & wait $!; done"];
    const { outs } = await process_.create(
      await half({ program: "/bin/sh", args: slow, probe: { kind: "tcp", port: 22 } }),
    );
    const pid = () => ask("systemctl show karmada-half -p MainPID --value");
    const first = await pid();
    await ask("echo y >>/etc/karmada/half/file");
    const { outs: again } = await process_.update("id", outs as State, outs as never);
    expect(await pid()).not.toBe(first);
    expect((await process_.read("id", again as State)).props?.["drift"]).toBeUndefined();
    await remove(again as State);
  }, 60_000);

  test("ends without having the host read its units again, unless systemd still knows of its own", async () => {
    const read = () => ask("systemctl show -p UnitsLoadTimestampMonotonic --value");
    const { outs } = await process_.create(await half());
    const before = await read();
    await remove(outs as State);
    expect(await read()).toBe(before);
    const { outs: another } = await process_.create(await half());
    await ask("systemctl daemon-reload");
    const known = await read();
    await remove(another as State);
    expect(await read()).not.toBe(known);
    expect(await ask("systemctl show karmada-half -p LoadState --value")).toBe("not-found\n");
  }, 60_000);

  test("leaves nothing behind", async () => {
    await remove(state);
    await programs.delete("id", program.state!);
    expect(await fingerprintOf(machine)).toBe(before);
    await remove(state);
    expect((await process_.read("id", state)).id).toBeUndefined();
  });
});
