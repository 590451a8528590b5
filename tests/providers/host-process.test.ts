import { jest } from "@jest/globals";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { execa } from "execa";
import type { HostAddress } from "../../lib/hosts/address.ts";
import { closeHosts, hostAt } from "../../lib/hosts/hosts.ts";
import { sha256 } from "../../lib/sha256.ts";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { provider as process_ } from "../../providers/host-process-impl.ts";
import { provider as programs } from "../../providers/host-programs-impl.ts";
import { beginRun } from "../../providers/still-declared.ts";
import { createAuthority } from "../support/certificates.ts";
import { fingerprintOf } from "../support/host-fingerprint.ts";
import { hasLab, Lab, type LabHost } from "../support/nspawn-lab.ts";
import { programPath } from "../support/programs.ts";

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as the engine hands it over
type State = any;

const describeLab = hasLab() ? describe : describe.skip;
const anotherKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ";

describeLab("etcd on a host", () => {
  let lab: Lab;
  let machine: LabHost;
  let source: string;
  let digest: string;
  let before: string;
  /** As the engine would have it. */
  let state: Record<string, unknown>;
  let sent: State;

  beforeAll(async () => {
    source = await programPath("etcd");
    digest = sha256(readFileSync(source));
    lab = new Lab(10);
    machine = await lab.add(1);
    before = await fingerprintOf(machine);
    const etcd = { host: host(), programs: { etcd: digest }, sources: { etcd: source } };
    sent = (await programs.create(etcd)).outs;
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
    programSha256: digest,
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
  const ofRefresh = "`refresh` and then `up` put it as it is declared, and so does an `up` that changes it";

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

  test("leaves nothing behind", async () => {
    await remove(state);
    await programs.delete("id", sent);
    expect(await fingerprintOf(machine)).toBe(before);
    await remove(state);
    expect((await process_.read("id", state)).id).toBeUndefined();
  });
});
