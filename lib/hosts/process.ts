import { accountScript, removeAccount } from "./accounts.ts";
import type { Host } from "./host.ts";
import { dataOf, hostPaths, hostProcessPaths, programPath, unitOf, userOf } from "./layout.ts";
import { unlessOfAnother, unlessTakenByAnother } from "./owner.ts";
import type { HostedProgram } from "./program.ts";
import { quote } from "./quote.ts";
import { type NewFile, replaceFiles } from "./replace-files.ts";
import { revisionVariable, type UnitDescription, wantedBy } from "./unit.ts";

/** Defines a shell function that writes a line `<key> <value>`, for {@link parseSaid}. */
export const say = `say() { printf '%s %s\\n' "$1" "$2"; }`;

/** Shell command that prints the revision of the process with the number `$pid` as `revision`; nothing if that is 0. */
export const sayRevisionOfPid = `[ "$pid" = 0 ] || tr '\\0' '\\n' 2>/dev/null </proc/$pid/environ | sed -n 's/^${revisionVariable}=/revision /p'`;

/** Shell commands that print the revision of a process as `revision` while it runs. */
export const sayRevision = (name: string): string =>
  [`pid=$(systemctl show ${unitOf(name)} -p MainPID --value)`, sayRevisionOfPid].join("\n");

/** The lines that a script printed with {@link say}, in order. */
export function parseSaid(output: string): (readonly [key: string, value: string])[] {
  return output.split("\n").map((line) => {
    const at = line.indexOf(" ");
    return at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
  });
}

/** A file to be there. */
export interface WantedFile extends Pick<NewFile, "content" | "mode" | "isNew"> {
  readonly key: string;
}

/** What is to be written of a process. */
export interface ProcessChange {
  readonly name: string;
  readonly component: string;
  /** Name of its deployment. @default not given: the owner of the host is not checked */
  readonly deployment?: string;
  /** The files that differ. */
  readonly files: readonly WantedFile[];
  /** Keys of files that are to go. */
  readonly gone: readonly string[];
  /** Directory for its data, below its name. @default the same as for every process */
  readonly dataDirectory?: string;
}

/** Access to a file of a process: its program may read it, and only root may change it. */
export const accessOf = (mode: string, component: string): string => `${mode} root:${userOf(component)}`;

/**
 * The script that makes the user and the directories of a process and writes its files, each atomically. It fails if
 * another deployment has the host.
 */
export function writeScript({ name, component, deployment, files, gone, dataDirectory }: ProcessChange): string {
  const { own, file } = hostProcessPaths(name);
  const user = userOf(component);
  const directories = directoriesOf(files.map(({ key }) => key)).map(file);
  return [
    ...(deployment === undefined ? [] : [unlessTakenByAnother(deployment)]),
    accountScript(user, dataOf(name, dataDirectory)),
    // Other users may traverse them to their own directories; the rest is closed to them.
    `[ -d ${hostPaths.files} ] && [ -d ${hostPaths.data} ] && [ -d ${hostPaths.links} ] || install -d -m 755 ${hostPaths.files} ${hostPaths.data} ${hostPaths.links}`,
    `install -d -m 750 -o root -g ${user} ${[own, ...directories].map(quote).join(" ")}`,
    dataScript(name, user, dataDirectory),
    replaceFiles(
      files.map(({ key, ...wanted }) => ({ path: file(key), ...wanted })),
      `root:${user}`,
    ),
    ...(gone.length === 0 ? [] : [`rm -f ${gone.map((key) => quote(file(key))).join(" ")}`]),
  ].join("\n");
}

/** Data are never moved, and data elsewhere are never overlooked: a program would start afresh without them. */
function dataScript(name: string, user: string, directory: string | undefined): string {
  const { data } = hostProcessPaths(name);
  const wanted = dataOf(name, directory);
  return [
    dataRefusal(name, directory),
    `if [ "$at" != ${wanted} ]; then`,
    `  [ ! -d ${data} ] || rmdir "$at"`,
    `  rm -f ${data}`,
    `fi`,
    `[ ! -d ${wanted} ] || [ "$(stat -c %U:%G ${wanted})" = ${user}:${user} ] || chown -Rh ${user}:${user} ${wanted}`,
    `install -d -m 700 -o ${user} -g ${user} ${wanted}`,
    ...(wanted === data ? [] : [`ln -sfnT ${wanted} ${data}`]),
  ].join("\n");
}

/** Shell commands that fail, with a remedy, if {@link writeScript} could not have a process's data in a directory. */
export function dataRefusal(name: string, directory: string | undefined): string {
  const { data, unit } = hostProcessPaths(name);
  const wanted = dataOf(name, directory);
  const move = wanted === data ? `rm ${data} && mv $at ${data}` : `mv $at ${wanted} && ln -sfnT ${wanted} ${data}`;
  return [
    ...(directory === undefined
      ? []
      : [`[ -d ${directory} ] || { echo "${directory} is not there: mount its disk, or make it" >&2; exit 1; }`]),
    `at=${data}`,
    `[ ! -L ${data} ] || at=$(readlink ${data})`,
    `[ "$at" = ${wanted} ] || [ -z "$(ls -A "$at" 2>/dev/null)" ] || { echo "its data are in $at, want ${wanted}" >&2; echo "move them, one member after another, then run up again: systemctl stop ${unit} && ${move}" >&2; exit 1; }`,
  ].join("\n");
}

/**
 * Shell commands that make systemd use a unit's new file, and start it at boot. A unit that is not loaded is read
 * anyway when it starts: only otherwise is systemd told to reload all of them, which keeps a host busy for a while.
 */
export const takeUp = (unit: string): string =>
  [
    `systemctl enable --quiet --no-reload ${unit}`,
    `case "$(systemctl show ${unit} -p NeedDaemonReload -p UnitFileState)" in`,
    `  *NeedDaemonReload=no*UnitFileState=enabled* | *UnitFileState=enabled*NeedDaemonReload=no*) ;;`,
    `  *) systemctl daemon-reload ;;`,
    `esac`,
  ].join("\n");

/**
 * Shell commands that make systemd use and start at boot a unit that is unknown to it and whose file did not exist:
 * systemd need not be asked, and enabling it takes a link. An operator's drop-ins may ask for more.
 */
export function takeUpNew(unit: string): string {
  const wants = `${hostPaths.units}/${wantedBy}.wants`;
  return [
    `if [ -e ${hostPaths.units}/${unit}.d ]; then`,
    takeUp(unit),
    `else`,
    `  [ -d ${wants} ] || mkdir -p ${wants}`,
    `  ln -sfn ${hostPaths.units}/${unit} ${wants}/${unit}`,
    `fi`,
  ].join("\n");
}

/**
 * Shell commands that atomically make a process's link point to a program. {@link writeScript} made the directory.
 *
 * @param isNew whether there was no link that something may be following
 */
export function linkScript(name: string, program: HostedProgram, isNew: boolean): string {
  const { link } = hostProcessPaths(name);
  const path = programPath(program.sha256, program.name);
  return isNew ? `ln -sfn ${path} ${link}` : `ln -sfn ${path} ${link}.new\nmv -fT ${link}.new ${link}`;
}

/** Shell commands that end replicas of the same program on the host under another number. */
export function endOtherReplicas(name: string, component: string): string {
  const { unitFile } = hostProcessPaths(name);
  const kind = unitFile.replace(/(-\d+)?\.service$/, "");
  return [
    `for other in ${kind}.service ${kind}-[0-9].service ${kind}-[0-9][0-9].service; do`,
    `  [ "$other" != ${unitFile} ] && [ -e "$other" ] && grep -qsx 'User=${userOf(component)}' "$other" || continue`,
    `  systemctl disable --quiet --now "\${other##*/}"`,
    `done`,
  ].join("\n");
}

/**
 * Ends a process and removes everything of it: unit, link, files and data; its user too if it owns nothing else. If
 * another deployment has the host by now it says so and removes nothing: things of the same names belong to that one.
 */
export async function removeProcess(
  host: Host,
  {
    name,
    component,
    dataDirectory,
    deployment,
    writes = [],
  }: Pick<ProcessChange, "name" | "component" | "dataDirectory" | "deployment"> & Pick<UnitDescription, "writes">,
  stopSeconds: number,
): Promise<void> {
  const { own, data, link, unit, unitFile } = hostProcessPaths(name);
  const user = userOf(component);
  const elsewhere = writes.flatMap(({ path, files = [] }) => files.map((file) => quote(`${path}/${file}`)));
  const script = [
    ...(deployment === undefined ? [] : [unlessOfAnother(deployment, `echo "$owner"`)]),
    `timeout ${stopSeconds} systemctl stop ${unit} 2>/dev/null || systemctl kill -s KILL ${unit} 2>/dev/null || true`,
    `systemctl disable --quiet --no-reload ${unit} 2>/dev/null || true`,
    `rm -f ${unitFile} ${unitFile}.new`,
    `systemctl reset-failed ${unit} 2>/dev/null || true`,
    // Reloading all units keeps a host busy for a while: systemd forgets what nothing refers to without that.
    `if [ "$(systemctl show ${unit} -p LoadState --value)" != not-found ]; then`,
    `  systemctl daemon-reload`,
    `  systemctl stop ${unit} 2>/dev/null || true`,
    `  systemctl reset-failed ${unit} 2>/dev/null || true`,
    `fi`,
    `rm -rf ${[own, data, dataOf(name, dataDirectory), link, `${link}.new`, ...elsewhere].join(" ")}`,
    `rmdir ${hostPaths.links} ${hostPaths.programs} ${hostPaths.data} ${hostPaths.files} 2>/dev/null || true`,
    removeAccount(user),
  ];
  const other = (await host.run(`removing ${name}`, script.join("\n"), { seconds: stopSeconds + 60 })).trim();
  if (other !== "") console.log(`${host.label}: ${name}: deployment "${other}" has the host, nothing there is removed`);
}

/** The last lines a process itself wrote, without those of systemd about it. */
export async function lastLines(host: Host, name: string, lines = 15): Promise<string> {
  const shown = await host.run(
    `reading the log of ${name}`,
    `journalctl _SYSTEMD_UNIT=${unitOf(name)} -n ${lines} --no-pager -o cat 2>/dev/null | cut -c1-300 || true`,
  );
  return shown.trim();
}

function directoriesOf(keys: readonly string[]): string[] {
  const all = keys.flatMap((key) =>
    key
      .split("/")
      .slice(0, -1)
      .map((_, i, parts) => parts.slice(0, i + 1).join("/")),
  );
  return [...new Set(all)].sort();
}
