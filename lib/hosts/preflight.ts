import { tools } from "./download-script.ts";
import { mirrorAnswers } from "./facts-script.ts";
import { error, label, warning, type Finding, type Looked, type Seen } from "./finding.ts";
import { hostPaths } from "./layout.ts";
import { judgeVip } from "./preflight-vip.ts";
import { cutOff, open } from "./reach.ts";

/** Everything that speaks against a deployment on these hosts, all hosts' findings at once. */
export function judge(deployment: string, looked: readonly Looked[]): Finding[] {
  const seen = looked.flatMap(({ needs, facts }) => (facts === undefined ? [] : [{ needs, facts }]));
  return [
    ...looked.flatMap(({ needs, failure }) => (failure === undefined ? [] : [error(needs, failure)])),
    ...seen.flatMap((host) => [
      ...judgeSystem(host),
      ...judgeRoom(host),
      ...judgeOwner(host, deployment),
      ...judgePorts(host, deployment),
      ...judgeNetwork(host),
    ]),
    ...judgeMachines(seen),
    ...judgeClocks(seen),
    ...judgeVip(seen),
  ];
}

/** The findings as an operator reads them. */
export const report = (findings: readonly Finding[]): string =>
  findings.map(({ host, message }) => `${host}: ${message}`).join("\n");

/** What the programs are built for, by `uname -m` and Node's name. */
const architectures: Readonly<Record<string, string>> = { x86_64: "x64", aarch64: "arm64" };

/** The oldest systemd with all the settings that units get (`ProtectClock`, of 245; `ProtectProc`, of 247). */
const oldestSystemd = 247;

/** The oldest haproxy that reads conditions in a configuration (section 2.4 of its configuration manual). */
const oldestHaproxy = "2.4";

/** Whether a version is the wanted one or a later one, as far as their first two numbers tell. */
function isAtLeast(version: string, wanted: string): boolean {
  const [[major, minor], [wantedMajor, wantedMinor]] = [version, wanted].map((each) => each.split(".").map(Number)) as [
    [number, number],
    [number, number],
  ];
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

function judgeSystem({ needs, facts }: Seen): Finding[] {
  if (facts.system !== "Linux") return [error(needs, `runs ${facts.system}, want Linux`)];
  const findings: Finding[] = [];
  if (facts.init !== "systemd" || facts.systemd === undefined) {
    findings.push(error(needs, `its first process is ${facts.init}, want systemd`));
  } else if (facts.systemd < oldestSystemd) {
    findings.push(error(needs, `has systemd ${facts.systemd}, want ${oldestSystemd} or newer`));
  }
  if (process.platform !== "linux") {
    findings.push(
      error(needs, `gets the programs of this machine, which runs ${process.platform}\nrun pulumi on Linux`),
    );
  }
  const ours = Object.keys(architectures).find((machine) => architectures[machine] === process.arch);
  if (facts.architecture !== ours) {
    findings.push(error(needs, `its architecture is ${facts.architecture}, the programs are built for ${ours}`));
  }
  if (facts.without.length > 0) findings.push(error(needs, `has no ${facts.without.join(", no ")}`));
  if (facts.uninstalled.length > 0) {
    const packages = facts.uninstalled.map((path) => path.split("/").at(-1)!);
    findings.push(
      error(needs, `has no ${facts.uninstalled.join(", no ")}\n${installWith(facts.os)} ${packages.join(" ")}`),
    );
  }
  if (facts.unheard.length > 0) {
    const message = `has no socket ${facts.unheard.join(", no socket ")}\nstart what listens there: the plugin of controlPlane.encryption`;
    findings.push(error(needs, message));
  }
  if (facts.haproxy !== undefined && !isAtLeast(facts.haproxy, oldestHaproxy)) {
    findings.push(error(needs, `has haproxy ${facts.haproxy}, want ${oldestHaproxy} or newer`));
  }
  if (facts.selinux === "enforcing") {
    findings.push(
      warning(
        needs,
        `SELinux is enforcing, and knows nothing of ${hostPaths.programs}\nif units end with 203/EXEC: semanage fcontext -a -t bin_t '${hostPaths.programs}(/.*)?' && restorecon -R ${hostPaths.programs}`,
      ),
    );
  }
  return findings;
}

/** How each operating system installs packages. */
const installers: readonly (readonly [systems: RegExp, command: string])[] = [
  [/^(debian|ubuntu)\b/, "apt-get install"],
  [/^(fedora|rhel|centos|rocky|almalinux|ol|amzn)\b/, "dnf install"],
  [/^(sles|opensuse)/, "zypper install"],
];

const installWith = (os: string): string =>
  installers.find(([systems]) => systems.test(os))?.[1] ?? "install the packages";

const gibi = 2 ** 30;

/** All programs of one version take 700 MB, and two versions are kept; a control plane with etcd takes 1.5 GB of memory. */
const programBytes = 2 * gibi;
const memoryBytes = 1.5 * gibi;
const etcdBytes = 2 * gibi;

/** etcd's own advice for the 99th percentile (https://etcd.io/docs/v3.6/faq/#what-does-the-etcd-warning-failed-to-send-out-heartbeat-on-time-mean). */
const slowMilliseconds = 10;

function judgeRoom({ needs, facts }: Seen): Finding[] {
  const findings: Finding[] = [];
  const room = (path: string, wanted: number) => {
    const free = facts.disk[path] ?? 0;
    if (free < wanted) findings.push(error(needs, `${path}: ${inGibi(free)} free, want ${inGibi(wanted)}`));
  };
  if (facts.deployment === undefined && !hasLostItsMark({ needs, facts })) room(hostPaths.programs, programBytes);
  if (facts.absent !== undefined) {
    findings.push(error(needs, `has no directory ${facts.absent} for etcd's data\nmount its disk there, or make it`));
  } else if (needs.etcd) room(needs.etcdData ?? hostPaths.data, etcdBytes);
  if (facts.memory < memoryBytes) {
    findings.push(
      warning(needs, `has ${inGibi(facts.memory)} of memory, a control plane wants ${inGibi(memoryBytes)}`),
    );
  }
  if (needs.etcd && facts.fsyncMilliseconds !== undefined && facts.fsyncMilliseconds > slowMilliseconds) {
    const took = facts.fsyncMilliseconds.toFixed(1);
    findings.push(warning(needs, `its disk is slow for etcd: ${took} ms a write, want ${slowMilliseconds} ms or less`));
  }
  return findings;
}

const inGibi = (bytes: number): string => `${(bytes / gibi).toFixed(1)}Gi`;

function judgeOwner({ needs, facts }: Seen, deployment: string): Finding[] {
  if (facts.deployment === deployment) {
    if (needs.known || facts.running.length === 0) return [];
    const running = `runs there already (${facts.running.join(", ")}), and the state of this stack knows nothing of that`;
    return [error(needs, `deployment "${deployment}" ${running}\n${elsewhereAdvice}`)];
  }
  if (facts.deployment !== undefined) {
    return [error(needs, `deployment "${facts.deployment}" has it\ndestroy that one first, or use another host`)];
  }
  if (facts.leftovers.length === 0 || hasLostItsMark({ needs, facts })) return [];
  return [
    error(
      needs,
      `something of an earlier installation is left: ${facts.leftovers.join(", ")}\nremove it, or move it away if its data is still wanted`,
    ),
  ];
}

/** The state has it as this deployment's: a member of etcd may still run there, whoever deleted the mark. */
const hasLostItsMark = ({ needs, facts }: Seen): boolean => needs.known && facts.deployment === undefined;

/** New authorities would cut off a running deployment from itself. */
const elsewhereAdvice =
  "use the state it was made with (docs/state.md), or another name; if that state is lost, end what runs there (systemctl disable --now 'karmada-*') and restore a snapshot (docs/recovery.md)";

function judgePorts({ needs, facts }: Seen, deployment: string): Finding[] {
  // What listens on a host of ours is ours; anything else shows when the program cannot start.
  if (facts.deployment === deployment) return [];
  return Object.entries(needs.ports).flatMap(([what, port]) => {
    const taken = facts.listeners.find((listener) => listener.port === port);
    const isOurs = taken?.unit !== undefined && hasLostItsMark({ needs, facts });
    return taken === undefined || isOurs ? [] : [error(needs, `port ${port} (${what}) is in use by ${taken.process}`)];
  });
}

function judgeNetwork({ needs, facts }: Seen): Finding[] {
  const firewalls = facts.firewalls.length === 0 ? "" : `\n${facts.firewalls.join(", ")} runs on it`;
  return [
    ...Object.entries(facts.reach)
      .filter(([, answer]) => answer !== open)
      .map(([target, answer]) => error(needs, `${cutOff(target, answer)}${firewalls}`)),
    ...Object.entries(facts.names)
      .filter(([, address]) => address === "")
      .map(([name]) => error(needs, `cannot resolve ${name}`)),
    ...judgeMirror({ needs, facts }),
  ];
}

function judgeMirror({ needs, facts }: Seen): Finding[] {
  const { mirror: answer = "it was not asked" } = facts;
  if (needs.mirror === undefined || answer === mirrorAnswers) return [];
  const means = answer === tools ? `\n${installWith(facts.os)} curl` : "";
  const what =
    answer === tools ? `has ${tools} for placement.mirror` : `cannot download from ${needs.mirror.url}: ${answer}`;
  return [error(needs, `${what}${means}`)];
}

function judgeMachines(seen: readonly Seen[]): Finding[] {
  return seen.flatMap(({ needs, facts }, i) => {
    const before = seen.slice(0, i).find((other) => facts.machine !== "" && other.facts.machine === facts.machine);
    if (before === undefined) return [];
    return [
      error(
        needs,
        `is the same machine as ${label(before.needs)}: both have the machine-id ${facts.machine}\nif one is a copy of the other's disk: rm /etc/machine-id && systemd-machine-id-setup, and reboot`,
      ),
    ];
  });
}

/** Seconds that the clocks of two hosts may be apart. */
const mostApart = 1;

/** Seconds that a host's clock may be behind this machine's: what is signed here is valid from now on. */
const mostBehind = 5;

function judgeClocks(seen: readonly Seen[]): Finding[] {
  return [...judgeBehind(seen), ...judgeApart(seen)];
}

function judgeBehind(seen: readonly Seen[]): Finding[] {
  return seen.flatMap(({ needs, facts: { clock } }) => {
    if (clock.ahead + clock.within >= -mostBehind) return [];
    const behind = `its clock is ${(-clock.ahead).toFixed(1)} s behind this machine's`;
    return [error(needs, `${behind}: certificates made here would not be valid there yet\nset both by NTP`)];
  });
}

function judgeApart(seen: readonly Seen[]): Finding[] {
  const byClock = seen.toSorted((a, b) => a.facts.clock.ahead - b.facts.clock.ahead);
  const [slow, fast] = [byClock[0], byClock.at(-1)];
  if (slow === undefined || fast === undefined) return [];
  const apart = fast.facts.clock.ahead - slow.facts.clock.ahead;
  const surely = apart - fast.facts.clock.within - slow.facts.clock.within;
  if (surely <= mostApart) return [];
  const message = `its clock is ${apart.toFixed(1)} s ahead of that of ${label(slow.needs)}, at most ${mostApart} s is allowed\nset both by NTP`;
  return [error(fast.needs, message)];
}
