import { basename } from "node:path";
import { asked, foundProcess, type FoundFile, type FoundProcess } from "./found.ts";
import type { Host } from "./host.ts";
import { hostPaths, unitOf } from "./layout.ts";
import { parseSaid, say } from "./process.ts";
import { revisionVariable } from "./unit.ts";

/** All processes of a deployment that are found on a host. */
export interface FoundOnHost {
  /** Whether nothing of any is there. */
  readonly isEmpty: boolean;
  /** One of them, which runs as a user, as it is found; undefined when neither a file nor a unit of it is there. */
  process(name: string, account: string): FoundProcess | undefined;
}

/**
 * Looks at all processes on a host without changing anything, in one round trip, and by few programs however many processes
 * there are.
 */
export async function observeHost(host: Host): Promise<FoundOnHost> {
  return parseHost(await host.run("looking at what is there", script));
}

const { files, data, links, units } = hostPaths;

const script = `
${say}
if [ -d ${files} ]; then
  cd ${files}
  find -L . -mindepth 2 -type f -exec sha256sum {} + 2>/dev/null | sed 's/^/digest /'
  find -L . -mindepth 2 -type f -exec stat -c 'access %a %U:%G %n' {} + 2>/dev/null || true
fi
for each in ${data}/*; do
  [ -d "$each" ] || continue
  if [ -L "$each" ]; then say "data \${each##*/}" "$(readlink "$each")"; else say "data \${each##*/}" "$each"; fi
done
for each in ${links}/*; do
  [ ! -x "$each" ] || say "program \${each##*/}" "$(readlink "$each")"
done
stat -Lc 'owner %U:%G %n' ${data}/* 2>/dev/null || true
cd ${units}
set -- karmada-*.service
[ -e "$1" ] || set --
[ "$#" = 0 ] || sha256sum "$@" | sed 's/^/unit /'
accounts=$(sed -n 's/^User=//p' /dev/null "$@"; sed -n 's/^\\(karmada-[^:]*\\):.*/\\1/p' /etc/passwd)
for each in passwd group; do
  [ -z "$accounts" ] || getent "$each" $accounts | sed "s/:.*//; s/^/$each /"
done
for each in ${files}/*/; do
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
  const lines = parseSaid(output);
  const of = (key: string) => lines.filter(([name]) => name === key).map(([, value]) => value);
  const found = filesOf(of("digest"), of("access"));
  const at = new Map([...of("data").map(named("data")), ...of("program").map(named("program"))]);
  const owners = new Map(of("owner").map((line) => [basename(line), line.slice(0, line.indexOf(" "))]));
  const isThere = (account: string) => of("passwd").includes(account) && of("group").includes(account);
  const digests = new Map(of("unit").map((line) => [basename(line.slice(66)), line.slice(0, 64)]));
  const shown = new Map(blocksOf(of("shown")).map((block) => [block.get("Id"), block]));
  const revisions = new Map(of("revision").map((line) => line.split(" ") as [string, string]));
  return {
    isEmpty: found.size === 0 && digests.size === 0,
    process(name, account) {
      const unit = unitOf(name);
      if (!found.has(name) && !digests.has(unit)) return undefined;
      const said = new Map([
        ...(shown.get(unit) ?? []),
        ["unit", digests.get(unit) ?? ""],
        ["data", at.get(`data ${name}`) ?? ""],
        ["dataOwner", owners.get(name) ?? ""],
        ["account", isThere(account) ? account : ""],
        ["program", at.get(`program ${name}`) ?? ""],
      ]);
      said.set("revision", revisions.get(said.get("MainPID") ?? "") ?? "");
      return foundProcess((key) => said.get(key) ?? "", Object.fromEntries(found.get(name) ?? []));
    },
  };
}

/** `etcd-0 /var/lib/karmada/etcd-0`. */
const named =
  (key: string) =>
  (line: string): [string, string] => {
    const at = line.indexOf(" ");
    return [`${key} ${line.slice(0, at)}`, line.slice(at + 1)];
  };

/** Of each process, by its key: lines `<sha256>  ./etcd-0/pki/ca.crt` and `640 root:karmada-etcd ./etcd-0/pki/ca.crt`. */
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
