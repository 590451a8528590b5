import { posix } from "node:path";
import { dataOf, hostProcessPaths, userOf } from "./layout.ts";
import { quote } from "./quote.ts";

/** What a systemd unit keeps running. */
export interface UnitDescription {
  /** Name of the process, unique in the deployment. */
  readonly name: string;
  /** Upstream's name of the program; it runs as a user named after that. */
  readonly component: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Digest of everything that requires a restart; readable from the environment of what runs. */
  readonly revision: string;
  /** How long it may take to stop before it is killed. */
  readonly stopSeconds: number;
  /** Bytes of memory at which the kernel reclaims some or kills it. @default no limit */
  readonly memoryBytes?: number;
  /** Cores that it may use at most. @default no limit */
  readonly cores?: number;
  /** Whether the program notifies systemd when it serves (sd_notify(3)). */
  readonly notifies: boolean;
  /** Settings of the service, by key, instead of the common ones (systemd.exec(5)). @default none */
  readonly unitSettings?: Readonly<Record<string, readonly string[]>>;
  /** Directory on the host for its data, below its name. It must exist. @default the same as for every process */
  readonly dataDirectory?: string;
  /** Directories outside its data that it writes to. @default none */
  readonly writes?: readonly WrittenDirectory[];
  /** A file with further variables. It need not exist. */
  readonly environmentFile?: string;
  /** A variable that names a directory without which it is not started: its disk may be gone. @default none */
  readonly needs?: string;
  /** Path of its program, for whoever installs a prepared unit. @default not in the unit */
  readonly programAt?: string;
}

/** A directory that a program writes to and does not own. */
export interface WrittenDirectory {
  /** Absolute. */
  readonly path: string;
  /** Names below it that are the program's own, and made for it with their parents. @default none */
  readonly own?: readonly string[];
  /**
   * Whether it is on a network file system: then the program's own directories are made only there, as far as it lets
   * root do so. @default false
   */
  readonly network?: boolean;
  /**
   * Names of files in it that are the program's own and that everybody may read, in a directory that belongs to others.
   * @default none
   */
  readonly files?: readonly string[];
}

/** The variable with the revision of what runs. */
export const revisionVariable = "KARMADA_REVISION";

/** The target that starts a unit at boot. */
export const wantedBy = "multi-user.target";

/** Description of a unit, by which a deployment's units are recognised. */
export const unitDescription = (name: string): string => `Karmada: ${name}`;

/** The setting of a unit with the path of its program. */
export const programKey = "X-Karmada-Program";

/**
 * The text of a unit. It may write below its own data directory and nowhere else, has no capability, sees no home, no
 * device and no other process's temporary files, and is restarted whenever it ends. Drop-ins in `<unit>.d/` are an
 * operator's own: nothing here reads or writes them.
 */
export function unitText(unit: UnitDescription): string {
  const { link, own } = hostProcessPaths(unit.name);
  const data = dataOf(unit.name, unit.dataDirectory);
  const user = userOf(unit.component);
  const variables = { ...unit.env, [revisionVariable]: unit.revision };
  return section({
    Unit: [
      ["Description", unitDescription(unit.name)],
      ["After", "network-online.target"],
      ["Wants", "network-online.target"],
      ["StartLimitIntervalSec", "0"],
      ...(unit.dataDirectory === undefined ? [] : [["RequiresMountsFor", unit.dataDirectory] as const]),
      // systemd ignores what begins with X- (systemd.unit(5)).
      ...(unit.programAt === undefined ? [] : [[programKey, unit.programAt] as const]),
    ],
    Service: instead(unit.unitSettings ?? {}, [
      ["Type", unit.notifies ? "notify" : "exec"],
      ["ExecStart", [link, ...unit.args].map((each) => word(each)).join(" ")],
      ...Object.entries(variables).map(([key, value]): Line => ["Environment", word(`${key}=${value}`, false)]),
      ...(unit.environmentFile === undefined ? [] : [["EnvironmentFile", `-${unit.environmentFile}`] as const]),
      ...(unit.needs === undefined ? [] : [["ExecStartPre", `/bin/sh -c ${word(there(unit.needs))}`] as const]),
      ["User", user],
      ["Group", user],
      ["WorkingDirectory", own],
      ["ReadWritePaths", data],
      ...(unit.writes ?? []).flatMap((directory) => written(directory, user)),
      ["Restart", "always"],
      ["RestartSec", "1s"],
      // A member of etcd serves only when enough others do: how long that takes is not for systemd to judge.
      ["TimeoutStartSec", "infinity"],
      ["TimeoutStopSec", `${unit.stopSeconds}s`],
      ["LimitNOFILE", "1048576"],
      ...(unit.memoryBytes === undefined ? [] : [["MemoryMax", String(unit.memoryBytes)] as const]),
      ...(unit.cores === undefined ? [] : [["CPUQuota", `${Math.round(unit.cores * 100)}%`] as const]),
      ...sandbox,
    ]),
    Install: [["WantedBy", wantedBy]],
  });
}

const there = (variable: string): string => `[ -d "$${variable}" ] || { echo "$${variable} is gone" >&2; exit 1; }`;

type Line = readonly [key: string, value: string];

/**
 * What does not exist by then is skipped. The program's own directories stay its own when its user is made anew. Of
 * directories for temporary files the program sees private ones, in which it may make what it likes: root makes nothing
 * there, where anybody could plant a link.
 */
function written({ path, own = [], network = false, files = [] }: WrittenDirectory, user: string): Line[] {
  if (/^\/(var\/)?tmp(\/|$)/.test(posix.normalize(path))) return [];
  const make = own.map((name) => {
    const directory = quote(`${path}/${name}`);
    const script = `umask 022 && mkdir -p ${directory} && chmod 700 ${directory} && chown -R ${user}:${user} ${directory}`;
    // What others make in a mount may be a link out of it.
    return network ? whereMounted(path, `[ ! -L ${directory} ] && ${script}`) : script;
  });
  const give = files.map((name) => {
    const file = quote(`${path}/${name}`);
    const created = `install -m 644 /dev/null ${file}`; // in the place of a link, should there be one that leads nowhere
    return `umask 022 && mkdir -p ${quote(path)} && { [ -e ${file} ] || ${created}; } && chown -h ${user}:${user} ${file}`;
  });
  const run = (script: string, prefix: string): Line => ["ExecStartPre", `${prefix}/bin/sh -c ${word(script)}`];
  return [
    ["ReadWritePaths", word(`-${path}`, false)],
    // What root cannot make is for the program to complain about.
    ...make.map((script) => run(script, network ? "-+" : "+")),
    ...give.map((script) => run(script, "-+")),
  ];
}

/**
 * A script that runs only if the path is on a network file system: otherwise the directory would be made on the host's
 * own disk.
 */
const whereMounted = (path: string, script: string): string =>
  `at=${quote(path)}; until [ -e "$at/" ]; do at=\${at%/*}; done; case $(stat -f -c %T "$at/") in nfs* | ceph* | fuse*) ${script} ;; esac`;

/** Replaces the settings that are given; all others stay. */
function instead(given: Readonly<Record<string, readonly string[]>>, lines: readonly Line[]): readonly Line[] {
  const own = Object.entries(given).flatMap(([key, values]) => values.map((value): Line => [key, value]));
  return [...lines.filter(([key]) => !(key in given)), ...own];
}

/** systemd.exec(5). Go uses Netlink to list the host's addresses. */
const sandbox: readonly Line[] = [
  ["UMask", "0077"],
  ["NoNewPrivileges", "yes"],
  ["CapabilityBoundingSet", ""],
  ["AmbientCapabilities", ""],
  ["ProtectSystem", "strict"],
  ["ProtectHome", "yes"],
  ["ProtectClock", "yes"],
  ["ProtectControlGroups", "yes"],
  ["ProtectHostname", "yes"],
  ["ProtectKernelLogs", "yes"],
  ["ProtectKernelModules", "yes"],
  ["ProtectKernelTunables", "yes"],
  ["ProtectProc", "invisible"],
  ["PrivateDevices", "yes"],
  ["PrivateTmp", "yes"],
  ["RestrictAddressFamilies", "AF_INET AF_INET6 AF_UNIX AF_NETLINK"],
  ["RestrictNamespaces", "yes"],
  ["RestrictRealtime", "yes"],
  ["RestrictSUIDSGID", "yes"],
  ["RemoveIPC", "yes"],
  ["LockPersonality", "yes"],
  ["MemoryDenyWriteExecute", "yes"],
  ["SystemCallArchitectures", "native"],
  ["SystemCallFilter", "@system-service"],
  ["SystemCallErrorNumber", "EPERM"],
  ["LogRateLimitIntervalSec", "30s"],
  ["LogRateLimitBurst", "10000"],
];

function section(sections: Readonly<Record<string, readonly Line[]>>): string {
  return Object.entries(sections)
    .map(([name, lines]) => `[${name}]\n${lines.map(([key, value]) => `${key}=${value}\n`).join("")}`)
    .join("\n");
}

/** One word as systemd reads it (systemd.service(5), "Command lines", and lists of paths); `$` means something in command lines only. */
function word(text: string, isCommand = true): string {
  const escaped = text.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("%", "%%");
  const literal = isCommand ? escaped.replaceAll("$", "$$$$") : escaped;
  return /^[\w\-./:=,@+%]+$/.test(literal) ? literal : `"${literal}"`;
}
