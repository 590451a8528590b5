import { basename } from "node:path";
import { asked, controlGroups, foundProcess, type FoundFile, type FoundProcess } from "./found.ts";
import type { Host } from "./host.ts";
import { hostPaths, hostProcessPaths, unitOf } from "./layout.ts";
import { parseSaid, say } from "./process.ts";
import { revisionVariable } from "./unit.ts";

/** All of a deployment's processes found on a host. */
export interface FoundOnHost {
  /** Whether nothing of any of them is there. */
  readonly isEmpty: boolean;
  /** One of them, which runs as a given user, as found; undefined when neither a file nor a unit of it is there. */
  process(name: string, account: string): FoundProcess | undefined;
}

/**
 * Looks at all processes on a host without changing anything, in one round trip, and by few programs however many processes
 * there are.
 */
export async function observeHost(host: Host): Promise<FoundOnHost> {
  const accounts = `$(sed -n 's/^User=//p' /dev/null "$@"; sed -n 's/^\\(karmada-[^:]*\\):.*/\\1/p' /etc/passwd)`;
  return parseHost(await host.run("looking at what is there", lookingAt("*", unitOf("*"), accounts)));
}

/** Looks at one of them in the same way. @param account the user it is to run as */
export async function observeProcess(host: Host, name: string, account: string): Promise<FoundProcess> {
  const script = `${isThere(name)} || return 0\n${lookingAt(name, unitOf(name), account)}`;
  return new Said(await host.run(`looking at ${name}`, script)).process(name, account);
}

/**
 * Looks at one process on a host; but if nothing of it is there, other commands are run in the same round trip.
 *
 * @param begin those commands
 * @param seconds they may take
 * @returns undefined when they were run
 */
export async function observeOrBegin(
  host: Host,
  name: string,
  account: string,
  begin: string,
  seconds: number,
): Promise<FoundProcess | undefined> {
  const script = [
    `if ! ${isThere(name)}; then`,
    begin,
    `  echo begun`,
    `  return 0`,
    `fi`,
    lookingAt(name, unitOf(name), account),
  ];
  const said = await host.run(`setting up ${name}`, script.join("\n"), { seconds });
  return said.endsWith("begun\n") ? undefined : new Said(said).process(name, account);
}

/**
 * A command that succeeds when there is a file of a process, its unit, or something systemd still runs from a deleted
 * one.
 */
function isThere(name: string): string {
  const { own, data, link, unit, unitFile } = hostProcessPaths(name);
  const paths = [own, data, link, unitFile, ...controlGroups(unit)];
  return `{ ${paths.map((path) => `[ -e ${path} ] || [ -L ${path} ]`).join(" || ")}; }`;
}

const { files, data, links, units } = hostPaths;

/**
 * @param names pattern of names of processes
 * @param unitNames the same of their units
 * @param accounts words of a shell, which may have the units' files as its arguments
 */
const lookingAt = (names: string, unitNames: string, accounts: string): string => `
${say}
if [ -d ${files} ]; then
  cd ${files}
  find -L ./${names} -mindepth 1 -type f -exec sha256sum {} + 2>/dev/null | sed 's/^/digest /'
  find -L ./${names} -mindepth 1 -type f -exec stat -c 'access %a %U:%G %n' {} + 2>/dev/null || true
fi
for each in ${data}/${names}; do
  [ -d "$each" ] || continue
  if [ -L "$each" ]; then say "data \${each##*/}" "$(readlink "$each")"; else say "data \${each##*/}" "$each"; fi
done
for each in ${links}/${names}; do
  [ ! -x "$each" ] || say "program \${each##*/}" "$(readlink "$each")"
done
stat -Lc 'owner %U:%G %n' ${data}/${names} 2>/dev/null || true
cd ${units}
set -- ${unitNames}
[ -e "$1" ] || set --
[ "$#" = 0 ] || sha256sum "$@" | sed 's/^/unit /'
accounts=${accounts}
for each in passwd group; do
  [ -z "$accounts" ] || getent "$each" $accounts | sed "s/:.*//; s/^/$each /"
done
for each in ${files}/${names}/; do
  each=\${each%/}
  each=\${each##*/}
  case "$each" in karmada-*) ;; *) each=karmada-$each ;; esac
  [ "$each" = 'karmada-*' ] || [ -e "$each.service" ] || set -- "$@" "$each.service"
done
[ "$#" -gt 0 ] || return 0
shown=$(systemctl show "$@" -p Id ${asked})
echo "$shown" | sed 's/^/shown /'
set -- $(echo "$shown" | sed -n 's,^MainPID=\\([1-9].*\\),/proc/\\1/environ,p')
[ "$#" = 0 ] || grep -zasH '^${revisionVariable}=' "$@" | tr '\\0' '\\n' | sed -n 's,^/proc/\\([0-9]*\\)/environ:[^=]*=,revision \\1 ,p'
`;

/** What a host said of its processes, by their names. */
export function parseHost(output: string): FoundOnHost {
  const said = new Said(output);
  return {
    isEmpty: said.isEmpty,
    process: (name, account) => (said.has(name) ? said.process(name, account) : undefined),
  };
}

class Said {
  readonly #files: ReadonlyMap<string, ReadonlyMap<string, FoundFile>>;
  readonly #at: ReadonlyMap<string, string>;
  readonly #owners: ReadonlyMap<string, string>;
  readonly #accounts: readonly (readonly string[])[];
  readonly #units: ReadonlyMap<string, string>;
  readonly #shown: ReadonlyMap<string | undefined, ReadonlyMap<string, string>>;
  readonly #revisions: ReadonlyMap<string, string>;

  constructor(output: string) {
    const lines = parseSaid(output);
    const of = (key: string) => lines.filter(([name]) => name === key).map(([, value]) => value);
    this.#files = filesOf(of("digest"), of("access"));
    this.#at = new Map([...of("data").map(named("data")), ...of("program").map(named("program"))]);
    this.#owners = new Map(of("owner").map((line) => [basename(line), line.slice(0, line.indexOf(" "))]));
    this.#accounts = [of("passwd"), of("group")];
    this.#units = new Map(of("unit").map((line) => [basename(line.slice(66)), line.slice(0, 64)]));
    this.#shown = new Map(blocksOf(of("shown")).map((block) => [block.get("Id"), block]));
    this.#revisions = new Map(of("revision").map((line) => line.split(" ") as [string, string]));
  }

  get isEmpty(): boolean {
    return this.#files.size === 0 && this.#units.size === 0;
  }

  /** Whether there is a file or a unit of a process. */
  has(name: string): boolean {
    return this.#files.has(name) || this.#units.has(unitOf(name));
  }

  process(name: string, account: string): FoundProcess {
    const shown = this.#shown.get(unitOf(name));
    const isThere = this.#accounts.every((accounts) => accounts.includes(account));
    const said = new Map([
      ...(shown ?? []),
      ["unit", this.#units.get(unitOf(name)) ?? ""],
      ["data", this.#at.get(`data ${name}`) ?? ""],
      ["dataOwner", this.#owners.get(name) ?? ""],
      ["account", isThere ? account : ""],
      ["program", this.#at.get(`program ${name}`) ?? ""],
      ["revision", this.#revisions.get(shown?.get("MainPID") ?? "") ?? ""],
    ]);
    return foundProcess((key) => said.get(key) ?? "", Object.fromEntries(this.#files.get(name) ?? []));
  }
}

/** `etcd-0 /var/lib/karmada/etcd-0`. */
const named =
  (key: string) =>
  (line: string): [string, string] => {
    const at = line.indexOf(" ");
    return [`${key} ${line.slice(0, at)}`, line.slice(at + 1)];
  };

/**
 * The files of each process, by its name and then by their keys, from lines such as `<sha256>  ./etcd-0/pki/ca.crt` and
 * `640 root:karmada-etcd ./etcd-0/pki/ca.crt`.
 */
function filesOf(digests: readonly string[], accesses: readonly string[]): Map<string, Map<string, FoundFile>> {
  const found = new Map<string, Map<string, FoundFile>>();
  const access = new Map(
    accesses.map((line): [string, string] => {
      const at = line.indexOf(" ./");
      return [line.slice(at + 1), line.slice(0, at)];
    }),
  );
  for (const line of digests) {
    const path = line.slice(66);
    const [, process = "", key = ""] = /^\.\/([^/]+)\/(.+)$/.exec(path) ?? [];
    const files = found.get(process) ?? new Map<string, FoundFile>();
    found.set(process, files.set(key, { sha256: line.slice(0, 64), access: access.get(path) ?? "" }));
  }
  return found;
}

/** systemctl(1) leaves an empty line between one unit and the next. */
function blocksOf(lines: readonly string[]): Map<string, string>[] {
  const blocks = [new Map<string, string>()];
  for (const line of lines) {
    const at = line.indexOf("=");
    if (at < 0) blocks.push(new Map());
    else blocks.at(-1)!.set(line.slice(0, at), line.slice(at + 1));
  }
  return blocks;
}
