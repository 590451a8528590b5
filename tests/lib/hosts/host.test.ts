import { KeyObject, randomBytes } from "node:crypto";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import type { SshHostAddress } from "../../../lib/hosts/address.ts";
import { dial } from "../../../lib/hosts/dial.ts";
import { gatherFacts } from "../../../lib/hosts/facts.ts";
import { closeHosts, hostAt } from "../../../lib/hosts/hosts.ts";
import { Host } from "../../../lib/hosts/host.ts";
import { Unreachable } from "../../../lib/hosts/transport.ts";
import { withPacked } from "../../../lib/hosts/packed.ts";
import { dropPrograms, ensureProgram, hasProgram, receiveFile, unpack } from "../../../lib/hosts/program.ts";
import { quote } from "../../../lib/hosts/quote.ts";
import { deadlineIn, waitFor } from "../../../lib/wait.ts";
import { hasLab, Lab, type LabHost } from "../../support/nspawn-lab.ts";
import { sha256 } from "../../../lib/sha256.ts";

const describeLab = hasLab() ? describe : describe.skip;

describeLab("a host", () => {
  let lab: Lab;
  let machine: LabHost;
  let host: Host;

  beforeAll(async () => {
    lab = new Lab(9);
    machine = await lab.add(1);
    host = hostAt(machine.address);
  }, 300_000);
  afterAll(async () => {
    closeHosts();
    await lab.stop();
  });

  const refusal = async (change: Partial<SshHostAddress>) => {
    const other = new Host({ ...machine.address, ...change });
    const answer = await other.run("trying", "true").catch((error: Error) => error.message);
    other.close();
    return answer === "" ? "accepted" : answer;
  };
  const label = () => `lab9h1 (${machine.ip})`;
  const logins = () =>
    host.run("counting", `journalctl -u ssh --no-pager -o cat | grep -c "Accepted publickey" || true`).then(Number);

  test("runs a script as root and gives what it wrote", async () =>
    expect(await host.run("trying", "id -un; cat /etc/hostname")).toBe("root\nlab9h1\n"));

  test("logs in once for many commands at a time", async () => {
    const before = await logins();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => host.run("trying", `sleep 0.05; echo ${i}`)),
    );
    expect(answers.map(Number)).toEqual(Array.from({ length: 30 }, (_, i) => i));
    expect(await logins()).toBe(before);
  });

  test("says what was being done, how it ended and what it said; nothing of a script can be seen by others", async () => {
    await expect(host.run("making a file", "echo oh no >&2; exit 3")).rejects.toThrow(
      `${label()}: making a file: exit code 3: oh no`,
    );
    const seen = host.run("looking", "sleep 0.5; true s3cr3t");
    const lines = await host.run("listing", "sleep 0.2; cat /proc/[0-9]*/cmdline | tr '\\0' ' '");
    expect(lines).toContain("sh -s");
    expect(lines).not.toContain("s3cr3t");
    await seen;
  });

  test("has a shell run one script after another, and what one does to it is nothing to the next", async () => {
    const other = new Host(machine.address);
    const first = await other.run("trying", "cd /tmp; umask 077; seen=1; echo $$");
    expect(await other.run("trying", "echo $$; pwd; umask; echo ${seen-no}")).toBe(`${first}/root\n0022\nno\n`);
    await expect(other.run("trying", "echo 'oh no' >&2; exit 3")).rejects.toThrow(/: trying: exit code 3: oh no$/);
    expect(await other.run("trying", "printf 'no end of line'; echo $$ >&2")).toBe("no end of line");
    await expect(other.run("trying", "echo 'oh")).rejects.toThrow(/: trying: exit code 2: .*Unterminated/);
    expect(await other.run("trying", "echo $$")).toBe(first);
    other.close();
  });

  test("has another shell where somebody has ended the one that waits", async () => {
    const other = new Host(machine.address);
    const first = await other.run("trying", "echo $$");
    await host.run("ending it", `kill -9 ${first}`);
    expect(Number(await other.run("trying", "echo $$"))).not.toBe(Number(first));
    await expect(other.run("trying", "kill -9 $$")).rejects.toThrow(/: trying: ended by SIGKILL$/);
    other.close();
  });

  test("keeps few shells that have nothing to do, and none when it is let go of", async () => {
    const other = new Host(machine.address);
    const shells = await Promise.all(Array.from({ length: 6 }, () => other.run("trying", "echo $$; sleep 0.3")));
    const left = () =>
      host
        .run(
          "counting",
          `n=0; for p in ${shells.map((pid) => pid.trim()).join(" ")}; do [ ! -d /proc/$p ] || n=$((n + 1)); done; echo $n`,
        )
        .then(Number);
    expect(new Set(shells).size).toBe(6);
    await waitFor("the others to end", deadlineIn(10), async () => expect(await left()).toBe(3));
    other.close();
    await waitFor("all to end", deadlineIn(10), async () => expect(await left()).toBe(0));
  });

  test("makes the key of its cipher once for a connection", async () => {
    const { client } = await dial(machine.address, deadlineIn(15));
    expect(client).toMatchObject({ _protocol: { _cipher: { _encSSLName: "aes-128-gcm" } } });
    expect(client).toMatchObject({ _protocol: { _cipher: { _encKey: expect.any(KeyObject) as unknown } } });
    client.end();
  });

  test("does not wait for a command longer than it was told", async () => {
    const begun = performance.now();
    await expect(host.run("sleeping", "sleep 20", { seconds: 1 })).rejects.toThrow(
      `${label()}: sleeping: no end within 1 s`,
    );
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  test("accepts no key but the one that is noted down, and shows both fingerprints", async () => {
    const other = `ssh-ed25519 ${randomKey()}`;
    const shown = execFileSync("ssh-keygen", ["-lf", machine.path("/etc/ssh/ssh_host_ed25519_key.pub")]).toString();
    const expected = `${label()}: trying: ${machine.ip}:22 shows another host key: got ${shown.split(" ")[1]} (ssh-ed25519), want SHA256:`;
    expect(await refusal({ hostKey: other })).toContain(expected);
    expect(await refusal({ hostKey: shown.split(" ")[1]! })).toBe("accepted");
    expect(await refusal({ hostKey: "" })).toContain("no host key is given");
  });

  test("says at once that a login is refused, and what was tried", async () => {
    const begun = performance.now();
    expect(await refusal({ user: "nobody" })).toBe(
      `${label()}: trying: ${machine.ip}:22 does not let user "nobody" in: tried a private key`,
    );
    const address = withoutKey(machine.address);
    const other = new Host({ ...address, password: "wrong" });
    await expect(other.run("trying", "true")).rejects.toThrow(/does not let user "root" in: tried a password/);
    expect(performance.now() - begun).toBeLessThan(15_000);
  });

  test("names the host that does not answer, and waits for it once, however much is asked of it", async () => {
    const other = new Host({ ...machine.address, port: 23 });
    await expect(other.run("trying", "true")).rejects.toThrow(
      /^lab9h1 .*: trying: waited 15s for a login: .*:23: connection refused$/,
    );
    const begun = performance.now();
    await expect(other.run("trying", "true")).rejects.toThrow(Unreachable);
    expect(performance.now() - begun).toBeLessThan(1000);
  });

  describe("with a key that a passphrase locks", () => {
    const passphrase = "open sesame";
    let key: string;
    let agent: string;
    let agentPid: string;

    beforeAll(() => {
      key = join(lab.directory, "locked");
      agent = join(lab.directory, "agent");
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", passphrase, "-C", "locked", "-f", key]);
      writeFileSync(machine.path("/root/.ssh/authorized_keys"), readFileSync(`${key}.pub`), { flag: "a" });
      agentPid = /SSH_AGENT_PID=(\d+)/.exec(execFileSync("ssh-agent", ["-a", agent]).toString())![1]!;
    });
    afterAll(() => {
      process.kill(Number(agentPid));
    });

    test("opens it with the passphrase, and says at once that it is missing or wrong", async () => {
      const privateKey = readFileSync(key, "utf8");
      expect(await refusal({ privateKey, passphrase })).toBe("accepted");
      const begun = performance.now();
      expect(await refusal({ privateKey })).toBe(
        `${label()}: trying: the private key is locked and no passphrase is given\ngive its passphrase, or log in by an agent that has opened it`,
      );
      expect(await refusal({ privateKey, passphrase: "wrong" })).toBe(
        `${label()}: trying: the private key is not opened by its passphrase`,
      );
      expect(await refusal({ privateKey: "a key" })).toBe(
        `${label()}: trying: the private key cannot be used: Unsupported key format`,
      );
      expect(performance.now() - begun).toBeLessThan(5000);
    });

    test("logs in by an agent, and says when that has no key for it or is not there", async () => {
      const byAgent = async (socket: string) => {
        const other = new Host({ ...withoutKey(machine.address), agent: socket });
        const answer = await other.run("trying", "id -un").catch((error: Error) => error.message);
        other.close();
        return answer;
      };
      const begun = performance.now();
      expect(await byAgent(agent)).toBe(
        `${label()}: trying: ${machine.ip}:22 does not let user "root" in: tried the agent`,
      );
      expect(await byAgent(`${agent}-away`)).toBe(
        `${label()}: trying: the SSH agent does not answer: connect ENOENT ${agent}-away\nstart one there (ssh-agent -a ${agent}-away), and give it the key (ssh-add)`,
      );
      expect(performance.now() - begun).toBeLessThan(5000);
      const asked = join(lab.directory, "askpass");
      writeFileSync(asked, `#!/bin/sh\necho '${passphrase}'\n`, { mode: 0o700 });
      execFileSync("ssh-add", ["-q", key], {
        env: { ...process.env, SSH_AUTH_SOCK: agent, SSH_ASKPASS: asked, SSH_ASKPASS_REQUIRE: "force" },
        stdio: ["ignore", "ignore", "ignore"],
      });
      expect(await byAgent(agent)).toBe("root\n");
      const before = process.env["SSH_AUTH_SOCK"];
      process.env["SSH_AUTH_SOCK"] = agent;
      expect(await byAgent("SSH_AUTH_SOCK")).toBe("root\n");
      process.env["SSH_AUTH_SOCK"] = "";
      expect(await byAgent("SSH_AUTH_SOCK")).toBe(
        `${label()}: trying: the environment variable SSH_AUTH_SOCK is empty\nstart an SSH agent: eval $(ssh-agent) && ssh-add`,
      );
      if (before === undefined) delete process.env["SSH_AUTH_SOCK"];
      else process.env["SSH_AUTH_SOCK"] = before;
    });
  });

  describe("with a user who is not root", () => {
    let address: SshHostAddress;
    const sudoers = "/etc/sudoers.d/deployer";

    beforeAll(async () => {
      const script = `useradd -m deployer; mkdir -p ~deployer/.ssh; cp /root/.ssh/authorized_keys ~deployer/.ssh/; chown -R deployer: ~deployer; echo 'deployer:pass word' | chpasswd`;
      await host.run("making a user", script);
      address = { ...machine.address, user: "deployer" };
    });

    test("says what is missing where sudo asks for a password", async () => {
      const other = new Host(address);
      await expect(other.run("trying", "true")).rejects.toThrow(
        `${label()}: trying: sudo: a password is required\nlet user "deployer" run everything without a password (in sudoers: deployer ALL=(ALL) NOPASSWD: ALL), or log in as root`,
      );
      other.close();
    });

    test("works as root through sudo, by key and by password", async () => {
      const rights = "deployer ALL=(ALL) NOPASSWD: ALL\n";
      machine.write(sudoers, rights, 0o440);
      const byPassword = new Host({ ...withoutKey(address), password: "pass word" });
      for (const other of [new Host(address), byPassword]) {
        expect(await other.run("trying", "id -un")).toBe("root\n");
        // As sudo does by itself since 1.9.14.
        machine.write(sudoers, `Defaults use_pty\n${rights}`, 0o440);
        expect(await other.run("trying", "id -un; echo said >&2")).toBe("root\n");
        expect(await other.send("trying", "id -un; cat", () => Readable.from(["data"]))).toBe("root\ndata");
        other.close();
      }
    });
  });

  describe("with a login shell of its own ways", () => {
    let other: Host;
    const shell = (path: string) => host.run("choosing a shell", `usermod -s ${path} peculiar`);

    beforeAll(async () => {
      const script = `useradd -m -s /bin/bash peculiar; mkdir -p ~peculiar/.ssh; cp /root/.ssh/authorized_keys ~peculiar/.ssh/; chown -R peculiar: ~peculiar`;
      await host.run("making a user", script);
      machine.write("/etc/sudoers.d/peculiar", "peculiar ALL=(ALL) NOPASSWD: ALL\n", 0o440);
    });
    beforeEach(() => {
      other = new Host({ ...machine.address, user: "peculiar" });
    });
    afterEach(() => other.close());

    test("takes nothing that it says for an answer, nor for data", async () => {
      machine.write("/home/peculiar/.bashrc", "echo Welcome; echo Really >&2; LC_ALL=tlh_KX; export LC_ALL\n", 0o644);
      expect(await other.run("asking", "echo 17; locale 2>/dev/null | grep LC_ALL || echo $LC_ALL")).toMatch(
        /^17\n(LC_ALL=)?C\n$/,
      );
      expect(await other.send("sending", "cat", () => Readable.from(["data"]))).toBe("data");
      const fetched: Buffer[] = [];
      const sink = () => new Writable({ write: (piece: Buffer, _, done) => (fetched.push(piece), done()) });
      await other.fetch("fetching", "printf data", sink);
      expect(Buffer.concat(fetched).toString()).toBe("data");
      const { clock } = await gatherFacts(other, { disk: false, reach: [], names: [] });
      expect(Math.abs(clock.ahead)).toBeLessThan(1);
      rmSync(machine.path("/home/peculiar/.bashrc"));
    });

    // csh is nothing that every Debian has: what stands for it ends a text in quotes with the line, as csh does.
    test("gives it one line only", async () => {
      machine.write(
        "/usr/local/bin/oneline",
        `#!/bin/sh\n[ "$(printf '%s' "$2" | wc -l)" = 0 ] || { echo "Unmatched '" >&2; exit 1; }\nexec sh "$@"\n`,
        0o755,
      );
      await shell("/usr/local/bin/oneline");
      expect(await other.run("asking", "echo 'it''s'\necho two")).toBe("its\ntwo\n");
      expect(await other.send("sending", "cat\necho 'it''s'", () => Readable.from(["data "]))).toBe("data its\n");
      await shell("/bin/bash");
    });

    test("keeps to what a command itself says, where sudo only grumbles", async () => {
      machine.write("/home/peculiar/.bashrc", "echo 'sudo: unable to resolve host lab9h1' >&2\n", 0o644);
      await expect(other.run("trying", "exit 3")).rejects.toThrow(
        `${label()}: trying: exit code 3: sudo: unable to resolve host lab9h1`,
      );
      rmSync(machine.path("/home/peculiar/.bashrc"));
    });
  });

  describe("with an SSH server that allows little", () => {
    const settings = "/etc/ssh/sshd_config.d/little.conf";
    const allow = (lines: string) => {
      machine.write(settings, lines, 0o644);
      return host.run("setting it", "systemctl reload ssh; sleep 0.5");
    };
    afterAll(async () => {
      rmSync(machine.path(settings));
      await host.run("setting it", "systemctl reload ssh; sleep 0.5");
    });

    test("waits for a session where it has few", async () => {
      await allow("MaxSessions 2\n");
      const other = new Host(machine.address);
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) => other.run("trying", `sleep 0.3; echo ${i}`)),
      );
      expect(answers.map(Number)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      const [long] = [other.run("trying", "sleep 4"), other.run("trying", "sleep 4")];
      await new Promise((resolve) => setTimeout(resolve, 500));
      await expect(other.run("trying", "true", { seconds: 1 })).rejects.toThrow(
        `${label()}: trying: its SSH server allows no further session\nlet a login have ten at a time (in its sshd_config: MaxSessions 10)`,
      );
      await long;
      other.close();
    });

    test("says that it makes no connections, before anything is put on it", async () => {
      await allow("AllowTcpForwarding no\n");
      const other = new Host(machine.address);
      await expect(gatherFacts(other, { disk: false, reach: [], names: [] })).rejects.toThrow(
        "127.0.0.1:1: the SSH server makes no connections for this login\nallow them (in its sshd_config: AllowTcpForwarding local;",
      );
      other.close();
    });
  });

  test("gives up a connection to a port that hangs", async () => {
    const wall = "table inet silence { chain in { type filter hook input priority 0; tcp dport 7779 drop; }; }";
    await host.run("walling it off", `nft "${wall}"`);
    const begun = performance.now();
    await expect(host.open(7779)).rejects.toThrow("no answer from 127.0.0.1:7779");
    expect(performance.now() - begun).toBeLessThan(8000);
    await host.run("opening it", "nft delete table inet silence");
  });

  test("goes on after the link has broken, with what was under way", async () => {
    const count = "/root/tries";
    const under = host.run("working", `echo try >>${count}; sleep 2; echo done`, { seconds: 30 });
    await new Promise((resolve) => setTimeout(resolve, 800));
    // Every session of this login, and with them the link.
    const other = new Host(machine.address);
    await other
      .run(
        "cutting",
        `for p in $(pgrep -f 'sshd: root@notty'); do [ $p = $PPID ] || kill -9 $p 2>/dev/null; done; true`,
      )
      .catch(() => undefined);
    other.close();
    expect(await under).toBe("done\n");
    expect(readFileSync(machine.path(count), "utf8")).toBe("try\ntry\n");
  });

  test("names the host within a minute when its link falls silent, and goes on once it is heard again", async () => {
    const wall = "table inet silence { chain in { type filter hook input priority 0; iifname host0 drop; }; }";
    await host.run(
      "walling it off",
      `systemd-run --quiet sh -c 'sleep 1; nft "${wall}"; sleep 50; nft delete table inet silence'`,
    );
    const begun = performance.now();
    const silent = await host.run("working", "sleep 600", { seconds: 600 }).catch((error: Error) => error);
    const seconds = (performance.now() - begun) / 1000;
    process.stderr.write(`a silent link was given up after ${seconds.toFixed(0)} s\n`);
    expect(silent).toBeInstanceOf(Unreachable);
    expect((silent as Error).message).toBe(
      `${label()}: working: waited 15s for a login: no answer from ${machine.ip}:22`,
    );
    // Three questions that get no answer, 5 s apart, and the time for another login.
    expect(seconds).toBeLessThan(45);
    await waitFor("it to be heard again", deadlineIn(60), () => host.run("trying", "true"), { maxInterval: 1000 });
    expect(await host.run("trying", "echo heard")).toBe("heard\n");
  }, 180_000);

  test("goes through a jump host", async () => {
    const far = await lab.add(2);
    const { address: ip, port, user, hostKey, privateKey } = machine.address;
    const through = [{ address: ip, port, user, hostKey, ...(privateKey !== undefined && { privateKey }) }];
    const behind = new Host({ ...far.address, through });
    const from = await behind.run("asking", `journalctl -u ssh --no-pager -o cat | grep Accepted | tail -1`);
    expect(from).toContain(`Accepted publickey for root from ${machine.ip}`);
    behind.close();
    const wrong = new Host({ ...far.address, through: [{ ...through[0]!, user: "nobody" }] });
    await expect(wrong.run("asking", "true")).rejects.toThrow(`${machine.ip}:22 does not let user "nobody" in`);
    await lab.remove(far);
  });

  test("opens a connection to a port that only the host itself can reach", async () => {
    await host.run(
      "serving",
      `printf '%s' '#!/bin/sh\necho hello' >/run/hello; chmod +x /run/hello
      systemd-run --quiet --unit=hello --property=Type=exec sh -c 'exec systemd-socket-activate --inetd --accept -l 127.0.0.1:7777 /run/hello'; sleep 0.5`,
    );
    expect(await text(await host.open(7777))).toBe("hello\n");
    await expect(host.open(7778)).rejects.toThrow("127.0.0.1:7778: connection refused");
  });

  describe("with programs", () => {
    const content = randomBytes(3_000_000);
    const named = (content: Buffer) => ({ name: "tool", sha256: sha256(content) });
    const program = named(content);
    const place = `/opt/karmada/${program.sha256}/tool`;
    let file: string;

    beforeAll(() => {
      file = join(lab.directory, "tool");
      writeFileSync(file, content);
    });

    test("gets one once, whole, for everybody to execute", async () => {
      expect(await ensureProgram(host, program, file)).toBe(true);
      expect(readFileSync(machine.path(place)).equals(content)).toBe(true);
      expect(statSync(machine.path(place)).mode & 0o777).toBe(0o755);
      expect(await ensureProgram(host, program, file)).toBe(false);
    });

    test.each<[string, () => void]>([
      ["is gone", () => rmSync(machine.path(place))],
      ["was changed", () => writeFileSync(machine.path(place), "other")],
      ["cannot be executed", () => chmodSync(machine.path(place), 0o644)],
    ])("sends it again when it %s", async (_, damage) => {
      damage();
      expect(await hasProgram(host, program)).toBe(false);
      expect(await ensureProgram(host, program, file)).toBe(true);
      expect(await hasProgram(host, program)).toBe(true);
    });

    test("keeps nothing of one that is not what it should be", async () => {
      const other = { name: "tool", sha256: "0".repeat(64) };
      await expect(ensureProgram(host, other, file)).rejects.toThrow(
        `${file}: its SHA-256 is ${program.sha256.slice(0, 12)}, want 000000000000: obtain it again`,
      );
      expect(await host.run("listing", `ls /opt/karmada`)).toBe(`${program.sha256}\n`);
    });

    test.each<[string, (packed: Buffer) => Buffer]>([
      ["nothing", () => Buffer.alloc(0)],
      ["half of it", (packed) => packed.subarray(0, packed.length / 2)],
      ["all but the last byte", (packed) => packed.subarray(0, -1)],
      ["one bit that is another", (packed) => packed.fill(packed[1_000_000]! ^ 1, 1_000_000, 1_000_001)],
    ])("keeps nothing of a packed one of which there arrives %s", async (_, damaged) => {
      const packed = damaged(await withPacked(file, program.sha256, async (pieces) => Buffer.concat(pieces)));
      const receive = receiveFile("/opt/karmada/damaged", { bytes: content.length, mode: "755", write: unpack });
      await expect(host.send("receiving", receive, () => Readable.from([packed]))).rejects.toThrow(/exit code 1: /);
      expect(await host.run("listing", `ls /opt/karmada`)).toBe(`${program.sha256}\n`);
    });

    test("sends it as it is to a host that cannot unpack, and keeps nothing of one that arrives damaged", async () => {
      const [zstd, hidden] = [machine.path("/usr/bin/zstd"), machine.path("/usr/bin/zstd.hidden")];
      renameSync(zstd, hidden);
      rmSync(machine.path(place));
      expect(await ensureProgram(host, program, file)).toBe(true);
      const other = { name: "tool", sha256: "0".repeat(64) };
      await expect(ensureProgram(host, other, file)).rejects.toThrow(
        /sending tool: .*what arrived is not what was sent/,
      );
      renameSync(hidden, zstd);
      expect(await hasProgram(host, program)).toBe(true);
      expect(await host.run("listing", `ls /opt/karmada`)).toBe(`${program.sha256}\n`);
    });

    test("says that the disk has no room, where and how much there is, and keeps nothing of it", async () => {
      const large = Buffer.concat([content, content]);
      const full = named(large);
      writeFileSync(`${file}.large`, large);
      await host.run(
        "filling",
        `mkdir -p /opt/karmada/${full.sha256}; mount -t tmpfs -o size=1m none /opt/karmada/${full.sha256}`,
      );
      await expect(ensureProgram(host, full, `${file}.large`)).rejects.toThrow(
        `${label()}: sending tool: exit code 1: /opt/karmada/${full.sha256}: 1Mi free, want 6Mi: make room there, and run the same again`,
      );
      expect(await host.run("listing", `ls /opt/karmada/${full.sha256}; umount /opt/karmada/${full.sha256}`)).toBe("");
    });

    test("drops what is not kept, but never what a process is linked to", async () => {
      await host.run("linking", `mkdir -p /opt/karmada/bin; ln -s ${place} /opt/karmada/bin/tool`);
      await dropPrograms(host, "tool", []);
      expect(await hasProgram(host, program)).toBe(true);
      expect(readdirSync(machine.path("/opt/karmada"))).toHaveLength(3);
      await host.run("unlinking", `cd /opt/karmada; rm -r bin; find . -type d -empty -delete`);
      await dropPrograms(host, "tool", [program.sha256]);
      expect(await hasProgram(host, program)).toBe(true);
      await dropPrograms(host, "tool", []);
      expect(existsSync(machine.path("/opt/karmada"))).toBe(false);
    });
  });

  test("tells all its facts in one go, and is left as it was", async () => {
    const before = await host.run("listing", "find /var/lib /etc /opt -xdev | sort | sha256sum");
    await host.run("serving", "systemctl is-active nftables || true; systemctl start nftables");
    const facts = await gatherFacts(host, {
      disk: true,
      reach: [`${machine.ip}:22`, `${machine.ip}:2380`, "10.88.9.77:2380"],
      names: ["localhost", "no.such.name.invalid"],
      installed: ["/usr/sbin/haproxy"],
    });
    expect(facts).toMatchObject({
      system: "Linux",
      os: "debian 12",
      init: "systemd",
      systemd: 252,
      without: [],
      leftovers: [],
      firewalls: ["nftables"],
      haproxy: "2.6",
      unfiltered: false,
      reach: { [`${machine.ip}:22`]: "open", [`${machine.ip}:2380`]: "open" },
      names: { localhost: "::1", "no.such.name.invalid": "" },
    });
    expect(facts.reach["10.88.9.77:2380"]).toMatch(/no answer within 8 s|No route to host/);
    expect(facts.machine).toMatch(/^[0-9a-f]{32}$/);
    expect(facts.addresses).toContainEqual({ address: `${machine.ip}/24`, interface: "host0" });
    expect(facts.listeners).toContainEqual({
      address: "0.0.0.0",
      port: 22,
      process: expect.stringMatching(/^sshd \(pid \d+\)$/),
    });
    expect(facts.fsyncMilliseconds).toBeGreaterThan(0);
    expect(facts.memory).toBeGreaterThan(2 ** 30);
    expect(Math.abs(facts.clock.ahead)).toBeLessThan(1);
    expect(await host.run("listing", "find /var/lib /etc /opt -xdev | sort | sha256sum")).toBe(before);
  }, 60_000);

  test("is seen to filter no system calls where the units of systemd itself run without a filter", async () => {
    const directory = "/etc/systemd/system/systemd-journald.service.d";
    const off = [
      "MemoryDenyWriteExecute",
      "LockPersonality",
      "ProtectClock",
      "ProtectHostname",
      "ProtectKernelModules",
    ];
    const settings = [
      ...["SystemCallFilter", "SystemCallArchitectures", "RestrictAddressFamilies"].map((key) => `${key}=`),
      ...["RestrictNamespaces", "RestrictRealtime", "RestrictSUIDSGID", ...off].map((key) => `${key}=no`),
    ];
    const restart = "systemctl daemon-reload; systemctl restart systemd-journald";
    const file = quote(`[Service]\n${settings.join("\n")}\n`);
    await host.run("preparing", `mkdir ${directory}; printf %s ${file} >${directory}/bare.conf; ${restart}`);
    const { unfiltered } = await gatherFacts(host, { disk: false, reach: [], names: [] });
    await host.run("undoing", `rm -r ${directory}; ${restart}`);
    expect(unfiltered).toBe(true);
  }, 60_000);
});

function withoutKey(address: SshHostAddress): SshHostAddress {
  return Object.fromEntries(
    Object.entries(address).filter(([key]) => key !== "privateKey"),
  ) as unknown as SshHostAddress;
}

function randomKey(): string {
  const name = Buffer.from("ssh-ed25519");
  const field = (data: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, data.length]), data]);
  return Buffer.concat([field(name), field(randomBytes(32))]).toString("base64");
}
