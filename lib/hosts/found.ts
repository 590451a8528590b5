import type { Host } from "./host.ts";
import { unitOf } from "./layout.ts";
import { parseSaid, say, sayRevisionOfPid } from "./process.ts";
import { revisionVariable } from "./unit.ts";

/** A file of a process, as found. */
export interface FoundFile {
  readonly sha256: string;
  /** `640 root:karmada-etcd`. */
  readonly access: string;
}

/** A process as found on its host. */
export interface FoundProcess {
  /** By key; those that are not there are absent. */
  readonly files: Readonly<Record<string, FoundFile>>;
  /** Digest of the unit file; absent when there is none. */
  readonly unit?: string;
  /** Where its data are; absent when there is no directory for them. */
  readonly data?: string;
  /** User and group that its data belong to: `karmada-etcd:karmada-etcd`. */
  readonly dataOwner?: string;
  /** Its user, if looked for and present with a group of the same name. */
  readonly account?: string;
  /** What its link points to; absent when there is no link or its program is gone. */
  readonly program?: string;
  /** As systemd reports it: `active`, `activating`, `failed`, `inactive`. */
  readonly state: string;
  /** Why it last ended, as systemd reports it: `success`, `exit-code`, `oom-kill`. */
  readonly result: string;
  /** Whether it starts with the host. */
  readonly enabled: boolean;
  readonly pid?: number;
  /** Revision of what runs. */
  readonly revision?: string;
  /** Restarts since it was asked to run, after unrequested exits. */
  readonly restarts: number;
}

/** What runs of a process, and how its start progresses. */
export interface RunningProcess extends Pick<FoundProcess, "state" | "result" | "pid" | "revision" | "restarts"> {
  /** Whether systemd is still to start it: one that failed while stopping is `failed` until then. */
  readonly isQueued: boolean;
}

/** How the start of a process progresses, with as few programs as possible, since it is polled. */
export async function observeComing(host: Host, name: string): Promise<Omit<RunningProcess, "revision">> {
  return parseRunning(await host.run(`looking at ${name}`, comingScript(name)));
}

/** Looks at what runs of a process, in one round trip. */
export async function observeRunning(host: Host, name: string): Promise<RunningProcess> {
  return parseRunning(await host.run(`looking at ${name}`, runningScript(name)));
}

const comingScript = (name: string): string =>
  [
    say,
    `shown=$(systemctl show ${unitOf(name)} ${asked} -p Job)`,
    `for each in $shown; do say "\${each%%=*}" "\${each#*=}"; done`,
  ].join("\n");

const runningScript = (name: string): string =>
  [comingScript(name), `pid=\${shown#*MainPID=}`, `pid=\${pid%%[!0-9]*}`, sayRevisionOfPid].join("\n");

function parseRunning(output: string): RunningProcess {
  const said = new Map(parseSaid(output));
  return { ...foundProcess((key) => said.get(key) ?? "", {}), isQueued: Number(said.get("Job")) > 0 };
}

/**
 * Like {@link observeRunning}, but returns undefined when the process already runs this revision. That is read from the
 * unit's control group, at a tenth of the cost of asking systemd.
 *
 * @returns undefined when it runs so
 */
export async function observeUnlessRuns(
  host: Host,
  name: string,
  revision: string,
): Promise<RunningProcess | undefined> {
  const script = [
    `set --`,
    `for each in ${controlGroups(unitOf(name))
      .map((group) => `${group}/cgroup.procs`)
      .join(" ")}; do`,
    `  [ ! -r "$each" ] || while read -r pid; do set -- "$@" "/proc/$pid/environ"; done <"$each"`,
    `done`,
    `[ "$#" = 0 ] || ! grep -qszxF '${revisionVariable}=${revision}' "$@" || { echo runs; return 0; }`,
    runningScript(name),
  ];
  const said = await host.run(`looking at ${name}`, script.join("\n"));
  return said.endsWith("runs\n") ? undefined : parseRunning(said);
}

/** Control groups of a unit, for either version of cgroups. */
export const controlGroups = (unit: string): readonly string[] =>
  ["", "/systemd"].map((hierarchy) => `/sys/fs/cgroup${hierarchy}/system.slice/${unit}`);

/** What systemd is asked about a unit. */
export const asked = ["ActiveState", "Result", "MainPID", "UnitFileState", "NRestarts"]
  .map((property) => `-p ${property}`)
  .join(" ");

/** A process from what was reported of it. @param one the value of a key, empty when there is none */
export function foundProcess(one: (key: string) => string, files: FoundProcess["files"]): FoundProcess {
  const optional = (key: string) => (one(key) === "" ? {} : { [key]: one(key) });
  return {
    files,
    ...optional("unit"),
    ...optional("data"),
    ...optional("dataOwner"),
    ...optional("account"),
    ...optional("program"),
    state: one("ActiveState"),
    result: one("Result"),
    enabled: one("UnitFileState") === "enabled",
    ...(Number(one("MainPID")) > 0 && { pid: Number(one("MainPID")) }),
    ...optional("revision"),
    restarts: Number(one("NRestarts")),
  };
}
