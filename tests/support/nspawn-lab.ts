/** Real systemd hosts on this machine, booted by systemd-nspawn on a bridge of their own; each answers SSH. */
import { randomBytes } from "node:crypto";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import type { SshHostAddress } from "../../lib/hosts/address.ts";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { probe } from "../../lib/probe.ts";
import { quietly, run } from "./commands.ts";
import { sweptAtLast } from "./swept.ts";
import { sha256 } from "../../lib/sha256.ts";

const packages =
  "systemd,systemd-sysv,dbus,openssh-server,iproute2,iputils-ping,procps,haproxy,keepalived,libfaketime,nftables,sudo,zstd,curl,wget";

/** Releases of Debian. Their systemd, haproxy, keepalived and OpenSSH differ. */
type Suite = "bookworm" | "trixie";

/** Whether the tests that need it can run; in CI it must be there. */
export function hasLab(): boolean {
  const missing = missingForLab();
  if (missing === undefined) return true;
  const consequence = `${missing}: hosts are NOT tested`;
  if (process.env["CI"]) throw new Error(consequence);
  process.stderr.write(`\n*** ${consequence} ***\n\n`);
  return false;
}

function missingForLab(): string | undefined {
  if (process.getuid?.() !== 0) return "a lab of hosts needs root";
  const absent = ["debootstrap", "systemd-nspawn", "ip", "ssh-keygen"].filter(
    (program) => !["/usr/bin", "/usr/sbin", "/sbin", "/bin"].some((path) => existsSync(join(path, program))),
  );
  if (absent.length === 0) return undefined;
  return `${absent.join(", ")} not found (Debian: apt install debootstrap systemd-container iproute2 openssh-client)`;
}

/** What is special of a host that is not as most are. */
export interface Oddity {
  /** Further arguments of systemd-nspawn. @default none */
  readonly nspawn?: readonly string[];
  /** What runs instead of systemd, with its arguments. @default systemd */
  readonly first?: readonly string[];
  /** A command that runs the one given after it, by which systemd-nspawn is run. @default none */
  readonly prefix?: readonly string[];
  /** @default "bookworm" */
  readonly suite?: Suite;
}

/** Hosts `<network>.11`, `.12` and so on; this machine is `<network>.1` to them. */
export class Lab {
  readonly directory = mkdtempSync(join(tmpdir(), "lab-"));
  /** What its hosts and this machine are on. */
  readonly bridge: string;
  readonly #network: string;
  readonly #hosts = new Map<string, LabHost>();

  /** @param number between 1 and 254, one for each lab that is there at the same time */
  constructor(number: number) {
    this.bridge = `kbr${number}`;
    this.#network = `10.88.${number}`;
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "lab", "-f", join(this.directory, "id")]);
    quietly("ip", "link", "del", this.bridge);
    run("ip", "link", "add", this.bridge, "type", "bridge");
    run("ip", "addr", "add", `${this.#network}.1/24`, "dev", this.bridge);
    run("ip", "link", "set", this.bridge, "up");
    sweptAtLast(this.directory, this.bridge);
  }

  /** This machine, as its hosts reach it. */
  get gateway(): string {
    return `${this.#network}.1`;
  }

  /**
   * A new host, booted; `.11` is number 1. A number that was removed may come again, empty. Nothing here holds this process
   * up: what it has under way meanwhile is measured.
   */
  async add(number: number, oddity: Oddity = {}): Promise<LabHost> {
    const name = `lab${this.#network.split(".")[2]}h${number}`;
    const tree = join(this.directory, name);
    await execa("cp", ["-a", "--reflink=auto", baseTree(oddity.suite ?? "bookworm"), tree]);
    // Else the first thing on the host that has to last waits for all of that.
    await execa("sync", ["-f", tree]);
    const host = new LabHost(name, `${this.#network}.${10 + number}`, tree, this.directory, this.bridge, oddity);
    this.#hosts.set(name, host);
    await host.boot();
    return host;
  }

  /** Cuts the power of a host and removes it. */
  async remove(host: LabHost): Promise<void> {
    await host.cutPower();
    this.#hosts.delete(host.name);
    // What ran there may take a moment more to end.
    await rm(host.tree, { recursive: true, force: true, maxRetries: 50 });
  }

  async stop(): Promise<void> {
    for (const host of this.#hosts.values()) await this.remove(host);
    quietly("ip", "link", "del", this.bridge);
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export class LabHost {
  readonly name: string;
  readonly ip: string;
  /** Its root directory, as it can be changed from outside. */
  readonly tree: string;
  /** As `ssh-keygen` wrote it. */
  readonly hostKey: string;
  /** Of root. */
  readonly privateKey: string;
  readonly #bridge: string;
  readonly #oddity: Oddity;
  #process: ChildProcess | undefined;

  constructor(name: string, ip: string, tree: string, directory: string, bridge: string, oddity: Oddity) {
    this.name = name;
    this.ip = ip;
    this.tree = tree;
    this.#bridge = bridge;
    this.#oddity = oddity;
    this.privateKey = readFileSync(join(directory, "id"), "utf8");
    const key = this.path("/etc/ssh/ssh_host_ed25519_key");
    rmSync(key, { force: true });
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", key]);
    this.hostKey = readFileSync(`${key}.pub`, "utf8").trim();
    this.write("/etc/machine-id", `${randomBytes(16).toString("hex")}\n`);
    this.write("/etc/hostname", `${name}\n`);
    this.write("/etc/hosts", `127.0.0.1 localhost\n::1 localhost\n${ip} ${name}\n`);
    // No server of names is there to be waited for.
    this.write("/etc/resolv.conf", "options timeout:1 attempts:1\n");
    this.write("/root/.ssh/authorized_keys", readFileSync(join(directory, "id.pub"), "utf8"));
    // The name sorts before the shipped 80-container-host0.network, or DHCP wins.
    this.write("/etc/systemd/network/10-host0.network", network(ip));
    // They come at a random time of day, and leave files: nobody's doing, but a difference.
    for (const timer of ["apt-daily.timer", "apt-daily-upgrade.timer"])
      rmSync(this.path(`/etc/systemd/system/timers.target.wants/${timer}`), { force: true });
    const wants = this.path("/etc/systemd/system/multi-user.target.wants");
    mkdirSync(wants, { recursive: true });
    run("ln", "-sf", "/lib/systemd/system/systemd-networkd.service", wants);
  }

  /** A login as root. */
  get address(): SshHostAddress {
    const { name, ip: address, hostKey, privateKey } = this;
    return { kind: "ssh", name, address, port: 22, user: "root", hostKey, privateKey };
  }

  /** Where a path of the host is on this machine. */
  path(path: string): string {
    return join(this.tree, path);
  }

  write(path: string, content: string, mode = 0o644): void {
    mkdirSync(join(this.path(path), ".."), { recursive: true, mode: 0o755 });
    writeFileSync(this.path(path), content, { mode });
  }

  /** A command that runs the one given after it there, in the same directory, which the host must have. */
  get inside(): readonly string[] {
    const [first] = childrenOf(this.#process!.pid!);
    const enter = `nsenter --target ${first} --mount --uts --ipc --net --pid --root`;
    return ["sh", "-c", `exec ${enter} sh -c 'cd "$1"; shift; exec "$@"' sh "$PWD" "$@"`, "sh"];
  }

  /** Returns when it answers SSH. */
  async boot(): Promise<void> {
    const log = openSync(`${this.tree}.log`, "a");
    const { prefix = [], nspawn = [], first } = this.#oddity;
    const [program = "", ...args] = [
      ...prefix,
      ...["systemd-nspawn", "-q", "-D", this.tree, "--register=no", "--keep-unit", `--machine=${this.name}`],
      ...["--network-veth", `--network-bridge=${this.#bridge}`, "--capability=CAP_NET_ADMIN,CAP_NET_RAW"],
      ...["--kill-signal=SIGRTMIN+3", "--resolv-conf=off"],
      ...nspawn,
      ...(first ?? ["--boot"]),
    ];
    const child = spawn(program, args, { stdio: ["ignore", log, log], detached: true });
    this.#process = child;
    await waitFor(`${this.name} to boot`, deadlineIn(90), () => probe({ kind: "tcp", host: this.ip, port: 22 }));
  }

  async cutPower(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    // The host's first process: all others end with it. Without it they would outlive systemd-nspawn.
    for (const pid of childrenOf(child.pid!)) process.kill(pid, "SIGKILL");
    child.kill("SIGKILL");
    await ended;
    const veth = `vb-${this.name}`;
    await waitFor(`${this.name} to be gone`, deadlineIn(30), async () => {
      quietly("ip", "link", "del", veth);
      if (existsSync(`/sys/class/net/${veth}`)) throw new Error(`${veth} is still there`);
    });
  }
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
}

function network(ip: string): string {
  return `[Match]\nName=host0\n[Network]\nAddress=${ip}/24\nGateway=${ip.replace(/\d+$/, "1")}\n`;
}

/** Made once for a user: it takes a minute. */
function baseTree(suite: Suite): string {
  const cache = join(homedir(), ".cache", "karmada-pulumi-lab");
  const digest = sha256(`${suite} ${packages}`).slice(0, 12);
  const tree = join(cache, digest);
  if (existsSync(tree)) return tree;
  const making = `${tree}.${process.pid}`;
  mkdirSync(cache, { recursive: true });
  run("debootstrap", "--variant=minbase", `--include=${packages}`, suite, making);
  if (existsSync(tree)) rmSync(making, { recursive: true, force: true });
  else renameSync(making, tree);
  return tree;
}
