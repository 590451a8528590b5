import type { Host } from "./host.ts";
import { hostProcessPaths } from "./layout.ts";
import { isAccount, parseSaid, say, sayRevisionOfPid } from "./process.ts";
import { quote } from "./quote.ts";

/** A file of a process as it is found. */
export interface FoundFile {
  readonly sha256: string;
  /** `640 root:karmada-etcd`. */
  readonly access: string;
}

/** A process as it is found on its host. */
export interface FoundProcess {
  /** By key; those that are not there are absent. */
  readonly files: Readonly<Record<string, FoundFile>>;
  /** Digest of the unit file; absent when there is none. */
  readonly unit?: string;
  /** Where its data are; absent when there is no directory for them. */
  readonly data?: string;
  /** User and group that its data belong to: `karmada-etcd:karmada-etcd`. */
  readonly dataOwner?: string;
  /** Its user, when that is there with a group of the same name, and was looked for. */
  readonly account?: string;
  /** What its link points to; absent when there is none or its program is gone. */
  readonly program?: string;
  /** As systemd has it: `active`, `activating`, `failed`, `inactive`. */
  readonly state: string;
  /** Why it ended last, as systemd has it: `success`, `exit-code`, `oom-kill`. */
  readonly result: string;
  /** Whether it starts with the host. */
  readonly enabled: boolean;
  readonly pid?: number;
  /** Revision of what runs. */
  readonly revision?: string;
  /** Starts since it was asked to run, after exits nobody asked for. */
  readonly restarts: number;
}

/** Looks at a process without changing anything, in one round trip. @param account the user to look for, when one is */
export async function observeProcess(
  host: Host,
  name: string,
  files: readonly string[],
  account?: string,
): Promise<FoundProcess> {
  const { data, file, link, unit, unitFile } = hostProcessPaths(name);
  const script = [
    say,
    `[ -d ${data} ] && say data "$(readlink ${data} || echo ${data})" && say dataOwner "$(stat -Lc %U:%G ${data})"`,
    ...(account === undefined ? [] : [`${isAccount(account)} && say account ${account}`]),
    ...files.map((key) => `[ -f ${quote(file(key))} ] && say file "${describeFile(file(key))} ${key}"`),
    `[ -f ${unitFile} ] && say unit "$(sha256sum <${unitFile} | cut -c1-64)"`,
    `[ -x ${link} ] && say program "$(readlink ${link})"`,
    `shown=$(systemctl show ${unit} ${asked})`,
    `for each in $shown; do say "\${each%%=*}" "\${each#*=}"; done`,
    `pid=$(echo "$shown" | sed -n s/^MainPID=//p)`,
    sayRevisionOfPid,
  ];
  return parseFound(await host.run(`looking at ${name}`, script.join("\n")));
}

/** What systemd is asked about a unit. */
export const asked = ["ActiveState", "Result", "MainPID", "UnitFileState", "NRestarts"]
  .map((property) => `-p ${property}`)
  .join(" ");

const describeFile = (path: string): string =>
  `$(sha256sum <${quote(path)} | cut -c1-64) $(stat -c '%a %U:%G' ${quote(path)})`;

function parseFound(output: string): FoundProcess {
  const lines = parseSaid(output);
  const files = lines.filter(([name]) => name === "file").map(([, value]) => value.split(" "));
  return foundProcess(
    (key) => lines.find(([name]) => name === key)?.[1] ?? "",
    Object.fromEntries(
      files.map(([sha256 = "", mode, owner, ...key]) => [key.join(" "), { sha256, access: `${mode} ${owner}` }]),
    ),
  );
}

/** A process of what was said of it. @param one the value of a key, empty when there is none */
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
