import { removeAccount } from "./accounts.ts";
import { basename, dirname } from "node:path";
import type { Host } from "./host.ts";
import { hostPaths, unitOf, userOf } from "./layout.ts";
import { onlyOf } from "./owner.ts";
import { parseSaid, removeProcess, say } from "./process.ts";
import { used } from "./program.ts";
import { unitDescription } from "./unit.ts";

/**
 * Releases a host from which a deployment has removed everything it knows of. A killed `up` may have left more: what it
 * was making is in no state, so nothing else removes it. That is ended and removed first, and reported. Data of etcd
 * are not, since they may be wanted: the host stays taken. What others put there stays, and is reported too.
 *
 * @throws naming the data of etcd that are there, and what removes them
 */
export async function letGoOf(host: Host, deployment: string): Promise<void> {
  const script = [onlyOf(deployment), say, lookForProcesses, `[ "$found" = 0 ] || return 0`, end];
  const said = await host.run("letting go of it", script.join("\n"));
  const left = leftIn(said);
  const ofEtcd = left.filter(({ hasData, user }) => hasData && user === userOf("etcd"));
  if (ofEtcd.length > 0) throw new Error(`${host.label}: letting go of it: ${dataLeft(ofEtcd)}`);
  for (const { name, user, dataDirectory } of left) {
    const known = { name, component: user, deployment, ...(dataDirectory !== undefined && { dataDirectory }) };
    await removeProcess(host, known, stopSeconds);
  }
  const ended =
    left.length === 0 ? said : await host.run("letting go of it", [onlyOf(deployment), say, end].join("\n"));
  const all = (wanted: string) => parseSaid(ended).flatMap(([key, value]) => (key === wanted ? [value] : []));
  const removed = [...left.map(({ name }) => name), ...all("program")];
  if (removed.length > 0) console.log(`${host.label}: removed what was in no state: ${removed.join(", ")}`);
  const others = all("stays");
  if (others.length > 0) {
    console.log(
      `warning: ${host.label}: not made by this deployment, and left there: ${others.join(", ")}\nanother deployment does not take the host before it is gone`,
    );
  }
}

/** Programs need no time to tidy up: their state is removed with them. */
const stopSeconds = 2;

interface Left {
  readonly name: string;
  readonly user: string;
  readonly data: string;
  readonly hasData: boolean;
  readonly dataDirectory?: string;
}

function dataLeft(left: readonly Left[]): string {
  const commands = left.map(({ name, data }) => `systemctl disable --now ${unitOf(name)}; rm -r ${data}`);
  return [
    `data of etcd are there that are in no state: ${left.map(({ data }) => data).join(", ")}`,
    `if they may go, run there: ${commands.join("; ")}`,
    `then destroy again`,
  ].join("\n");
}

function leftIn(said: string): Left[] {
  return parseSaid(said)
    .filter(([key]) => key === "process")
    .map(([, value]) => {
      const [name = "", user = "", data = "", entry = ""] = value.split(" ");
      const isElsewhere = dirname(data) !== hostPaths.data && basename(data) === name;
      return { name, user, data, hasData: entry !== "", ...(isElsewhere && { dataDirectory: dirname(data) }) };
    });
}

const { files, data, links, programs, units, deployment: ownerFile } = hostPaths;

/**
 * Units whose description says that they belong to a deployment, and directories of files that only a program's group
 * may read.
 */
const lookForProcesses = `
found=0
left() {
  found=1
  at=${data}/$1
  [ ! -L "$at" ] || at=$(readlink "$at")
  say process "$1 $2 $at $(ls -A "$at" 2>/dev/null | head -n 1)"
}
for each in ${units}/karmada-*.service; do
  [ -f "$each" ] || continue
  name=$(sed -n 's/^Description=${unitDescription("")}//p' "$each" | head -n 1)
  [ -z "$name" ] || [ -d "${files}/$name" ] || left "$name" "$(sed -n 's/^User=//p' "$each" | head -n 1)"
done
for each in ${files}/*/; do
  [ -d "$each" ] || continue
  user=$(stat -c %G "$each")
  name=\${each%/}
  case "$user" in karmada-*) left "\${name##*/}" "$user" ;; esac
done`;

/**
 * What is called by its content was brought by a deployment, some of it not whole. The host is still this one's, so no
 * other's programs are there; what a unit of somebody else's names stays.
 */
const removePrograms = `
if cd ${programs} 2>/dev/null; then
  ${used}
  for each in *; do
    [ "\${#each}" = 64 ] && [ -d "$each" ] || continue
    case "$each" in *[!0-9a-f]*) continue ;; esac
    case "$used" in *"/$each/"*) continue ;; esac
    for file in "$each"/*; do
      case "$file" in *.verified) ;; *) [ ! -e "$file" ] || say program "${programs}/$file" ;; esac
    done
    rm -rf "$each"
  done
  cd /
fi`;

/** The file that says whose the host is goes last. */
const end = `
${removePrograms}
rm -f ${units}/karmada-*.service.new
for each in $(awk -F: '$1 ~ /^karmada-/ && $6 == "/" && $7 ~ /nologin$/ {print $1}' /etc/passwd); do
  ${removeAccount("$each")}
done
rm -f ${ownerFile}.new ${ownerFile}
rmdir ${files} ${data} ${links} ${programs} 2>/dev/null || true
for each in ${units}/karmada-*.service ${files}/* ${data}/* ${links}/*; do
  case "$each" in */lost+found) continue ;; esac
  if [ -e "$each" ] || [ -L "$each" ]; then say stays "$each"; fi
done`;
