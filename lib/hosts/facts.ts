import { ForwardingRefused } from "./dial.ts";
import type { Host } from "./host.ts";
import { factsScript, type Questions } from "./facts-script.ts";
import { type InterfaceAddress, parseAddress } from "./interfaces.ts";

/** What was found on a host. Sizes are in bytes. */
export interface Facts {
  /** As `uname -s` has it. */
  readonly system: string;
  /** `debian 12`. */
  readonly os: string;
  /** As `uname -m` has it. */
  readonly architecture: string;
  /** Content of `/etc/machine-id`: the same for two names of one machine, and for copies of one image. */
  readonly machine: string;
  /** The first process, `systemd`. */
  readonly init: string;
  readonly systemd?: number;
  readonly memory: number;
  readonly freeMemory: number;
  /** Free bytes by directory. */
  readonly disk: Readonly<Record<string, number>>;
  /** Milliseconds for a small write to be durable; absent when it was not asked for or could not be tried. */
  readonly fsyncMilliseconds?: number;
  /** The directory meant for etcd's data, if it does not exist. */
  readonly absent?: string;
  /** `2.6`; absent when it was not asked for or does not say. */
  readonly haproxy?: string;
  /** Needed programs that are missing. */
  readonly without: readonly string[];
  /** Those of them that come with the operating system, by path. */
  readonly uninstalled: readonly string[];
  /** Paths at which there is no Unix socket, though one was asked for. */
  readonly unheard: readonly string[];
  /** The deployment the host belongs to. */
  readonly deployment?: string;
  readonly leftovers: readonly string[];
  /** Units of a deployment that run, `karmada-etcd-0.service`. */
  readonly running: readonly string[];
  readonly listeners: readonly Listener[];
  readonly selinux: "enforcing" | "permissive" | "none";
  readonly apparmor: boolean;
  /** Services that manage a firewall. */
  readonly firewalls: readonly string[];
  readonly addresses: readonly InterfaceAddress[];
  /** Hardware address of another machine that already has the shared address. */
  readonly vipAnswers?: string;
  /** Whether the operating system's own keepalived runs. */
  readonly keepalived: boolean;
  /** Whether its systemd applies no `SystemCallFilter`, as without libseccomp. */
  readonly unfiltered: boolean;
  /** The answer of each `host:port`: `open` when it can be reached, whether or not something listens. */
  readonly reach: Readonly<Record<string, string>>;
  /** Address by name; empty when it does not resolve. */
  readonly names: Readonly<Record<string, string>>;
  /** The answer of the mirror; absent when it was not to be asked. */
  readonly mirror?: string;
  /** Seconds its clock is ahead of this machine's, and the possible error. */
  readonly clock: { readonly ahead: number; readonly within: number };
}

/** A socket that listens. */
export interface Listener {
  readonly address: string;
  readonly port: number;
  /** `nginx (pid 512)`. */
  readonly process: string;
  /** The deployment's unit that the process belongs to, `karmada-etcd-0.service`; absent when there is none. */
  readonly unit?: string;
}

/** Asks a host for all of it; changes nothing, except that a probe of the disk is written and removed. */
export async function gatherFacts(host: Host, questions: Questions): Promise<Facts> {
  const clock = await compareClocks(host);
  await tryConnection(host);
  const seconds = 45 + 4 * questions.reach.length + 6 * questions.names.length;
  return { ...parseFacts(await host.run("looking at it", factsScript(questions), { seconds })), clock };
}

/** Programs on a host are probed through forwarded connections. @throws ForwardingRefused when the host allows none */
async function tryConnection(host: Host): Promise<void> {
  try {
    (await host.open(unusedPort)).destroy();
  } catch (error) {
    if (error instanceof ForwardingRefused) throw error;
  }
}

/** Whatever the answer, a connection was tried. */
const unusedPort = 1;

/** The facts in the script's output. */
export function parseFacts(output: string): Omit<Facts, "clock"> {
  const lines = output.split("\n").map((line) => /^(\S+) ?(.*)$/.exec(line)?.slice(1) ?? []);
  const all = (fact: string) => lines.filter(([key]) => key === fact).map(([, value]) => (value ?? "").trim());
  const one = (fact: string) => all(fact)[0] ?? "";
  const pairs = (fact: string) =>
    all(fact).map((value): [string, string] => [value.split(" ")[0]!, value.split(" ").slice(1).join(" ")]);
  const units = new Map(pairs("process"));
  const unitOf = (pid: string) => units.get(pid);
  const fsync = one("fsync");
  return {
    system: one("system"),
    os: one("os"),
    architecture: one("architecture"),
    machine: one("machine"),
    init: one("init"),
    ...(one("systemd") !== "" && { systemd: Number(one("systemd")) }),
    memory: Number(one("memory")) * 1024,
    freeMemory: Number(one("free-memory")) * 1024,
    disk: Object.fromEntries(pairs("disk").map(([path, free]) => [path, Number(free) * 1024])),
    ...(fsync !== "" && { fsyncMilliseconds: Number(fsync) / 1000 }),
    ...(one("absent") !== "" && { absent: one("absent") }),
    ...(one("haproxy") !== "" && { haproxy: one("haproxy") }),
    without: all("without"),
    uninstalled: all("uninstalled"),
    unheard: all("unheard"),
    ...(one("deployment") !== "" && { deployment: one("deployment") }),
    leftovers: all("leftover"),
    running: all("running"),
    listeners: pairs("listener").map(([socket, users]) => listener(socket, users, unitOf)),
    selinux: one("selinux") === "1" ? "enforcing" : one("selinux") === "0" ? "permissive" : "none",
    apparmor: one("apparmor") === "Y",
    firewalls: all("firewall"),
    addresses: all("address").map(parseAddress),
    ...(one("vip") !== "" && { vipAnswers: one("vip") }),
    keepalived: all("keepalived").length > 0,
    unfiltered: all("unfiltered").length > 0,
    ...(all("mirror").length > 0 && { mirror: one("mirror") }),
    reach: Object.fromEntries(pairs("reach")),
    names: Object.fromEntries(pairs("name")),
  };
}

/** ss(8): `0.0.0.0:22` or `[::]:22`, and `users:(("sshd",pid=93,fd=3))`. */
function listener(socket: string, users: string, unitOf: (pid: string) => string | undefined): Listener {
  const at = socket.lastIndexOf(":");
  const [, program, pid] = /\(\("([^"]*)",pid=(\d+)/.exec(users) ?? [];
  const unit = pid === undefined ? undefined : unitOf(pid);
  return {
    address: socket.slice(0, at).replace(/^\[|\]$|%.*$/g, ""),
    port: Number(socket.slice(at + 1)),
    process: program === undefined ? "a process that cannot be seen" : `${program} (pid ${pid})`,
    ...(unit !== undefined && { unit }),
  };
}

/**
 * How far the host's clock is ahead: asks a few times and takes what was answered fastest, whose error is smallest;
 * stops at an answer that is good enough.
 */
async function compareClocks(host: Host): Promise<Facts["clock"]> {
  const tries: Facts["clock"][] = [];
  for (let i = 0; i < 3 && (tries.at(-1)?.within ?? 1) > goodEnough; i++) {
    const asked = Date.now();
    const answer = Number(await host.run("asking for its time", "date +%s%N")) / 1e6;
    const answered = Date.now();
    tries.push({ ahead: (answer - (asked + answered) / 2) / 1000, within: (answered - asked) / 2000 });
  }
  return tries.toSorted((a, b) => a.within - b.within)[0]!;
}

/** Seconds by which an answer may be wrong. */
const goodEnough = 0.05;
