import { dirname } from "node:path";
import { downloading, inMirror, type Mirror } from "./download-script.ts";
import { sayAddresses } from "./interfaces.ts";
import { hostPaths } from "./layout.ts";
import { say } from "./process.ts";
import { quote } from "./quote.ts";
import { reachScript } from "./reach.ts";

/** Questions beyond those every host is asked. */
export interface Questions {
  /** How fast the disk of the data directory makes writes durable. */
  readonly disk: boolean;
  /** Where etcd will have its data, when not below the usual directory. @default there */
  readonly etcdData?: string;
  /** TCP ports of other hosts to reach, `10.0.0.12:2380`. */
  readonly reach: readonly string[];
  /** Names to resolve. */
  readonly names: readonly string[];
  /** Paths of programs that should have come with its operating system. @default none */
  readonly installed?: readonly string[];
  /** Unix sockets that should be there. @default none */
  readonly sockets?: readonly string[];
  /** An address that hosts will share. @default none */
  readonly vip?: string;
  /** From which it is to download programs. @default none */
  readonly mirror?: Mirror;
}

/** Everything to know about a host before anything is put on it, in one round trip: lines of `<fact> <value>`. */
export function factsScript({
  disk,
  etcdData,
  reach,
  names,
  installed = [],
  sockets = [],
  vip,
  mirror,
}: Questions): string {
  return [
    ...(vip === undefined ? [] : [askWhoHas(vip)]),
    general,
    ...(etcdData === undefined ? [] : [ofData(etcdData)]),
    ...(disk ? [fsync(etcdData ?? hostPaths.data)] : []),
    ...installed.map((path) => `[ -x ${quote(path)} ] || say uninstalled ${quote(path)}`),
    ...installed.filter((path) => path.endsWith("/haproxy")).map(versionOf),
    ...sockets.map((path) => `[ -S ${quote(path)} ] || say unheard ${quote(path)}`),
    ...(mirror === undefined ? [] : [answers(mirror)]),
    ...(reach.length > 0 ? [reachScript(reach)] : []),
    ...names.map(resolves),
    ...(vip === undefined ? [] : [whoAnswered(vip)]),
  ].join("\n");
}

const general = `
${say}
say os "$(. /etc/os-release 2>/dev/null; printf '%s %s' "\${ID:-unknown}" "\${VERSION_ID:-}")"
say architecture "$(uname -m)"
say system "$(uname -s)"
say machine "$(cat /etc/machine-id 2>/dev/null || true)"
say init "$(cat /proc/1/comm)"
say systemd "$(systemctl --version 2>/dev/null | sed -n '1s/^systemd \\([0-9]*\\).*/\\1/p')"
say user "$(id -un)"
say memory "$(sed -n 's/^MemTotal: *\\([0-9]*\\) kB/\\1/p' /proc/meminfo)"
say free-memory "$(sed -n 's/^MemAvailable: *\\([0-9]*\\) kB/\\1/p' /proc/meminfo)"
existing() {
  there=$1
  while [ ! -d "$there" ]; do there=\${there%/*}; there=\${there:-/}; done
  echo "$there"
}
room() { say disk "$1 $(df -Pk "$(existing "$1")" | awk 'NR==2 {print $4}')"; }
for path in ${hostPaths.files} ${hostPaths.data} ${hostPaths.programs}; do room "$path"; done
for tool in sha256sum find useradd userdel flock stat readlink timeout ss; do
  command -v "$tool" >/dev/null || say without "$tool"
done
for path in ${hostPaths.files} ${hostPaths.data} ${hostPaths.links} ${hostPaths.units}/karmada-*.service; do
  [ -e "$path" ] || continue
  # A disk of its own may be mounted there.
  [ "$path" = ${hostPaths.data} ] && [ -z "$(ls -A "$path" | grep -vx 'lost+found')" ] && continue
  say leftover "$path"
done
# Asked last: where another one takes the host meanwhile, what it leaves there has a name.
say deployment "$(cat ${hostPaths.deployment} 2>/dev/null || true)"
systemctl list-units --plain --no-legend --state=active,activating,reloading 'karmada-*.service' 2>/dev/null | awk '{print "running", $1}'
# Where control groups are of version 1 there is a line for each controller.
grep -sHoE -m 1 '/karmada-[^/]*\\.service' /proc/[0-9]*/cgroup | sed -n 's|^/proc/\\([0-9]*\\)/cgroup:/\\(.*\\)|process \\1 \\2|p'
if command -v ss >/dev/null; then
  ss -Hltnp | awk '{print "listener", $4, $6}'
fi
[ -r /sys/fs/selinux/enforce ] && say selinux "$(cat /sys/fs/selinux/enforce)"
[ -r /sys/module/apparmor/parameters/enabled ] && say apparmor "$(cat /sys/module/apparmor/parameters/enabled)"
for unit in firewalld ufw nftables; do
  systemctl is-active --quiet "$unit" 2>/dev/null && say firewall "$unit"
done
systemctl is-active --quiet keepalived 2>/dev/null && say keepalived there
# journald's unit has a filter of system calls, beyond what a container has for all (proc_pid_status(5)).
filters() { sed -n 's/^Seccomp_filters:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null; }
all=$(filters 1)
[ -n "$all" ] && [ "$(filters "$(systemctl show -p MainPID --value systemd-journald)")" = "$all" ] && say unfiltered there
${sayAddresses}
`;

/**
 * Microseconds per write, as etcd's documentation measures it: small ones, each synced
 * (https://etcd.io/docs/v3.6/op-guide/hardware/#disks). The slower the disk, the fewer it takes to see that.
 */
const fsync = (data: string): string => `
probe=$(existing ${data})/.karmada-fsync.$$
before=$(date +%s%N)
code=0
timeout ${fsyncSeconds} dd if=/dev/zero of="$probe" bs=${fsyncBytes} count=100 oflag=dsync 2>/dev/null || code=$?
took=$(($(date +%s%N) - before))
written=$(($(stat -c %s "$probe" 2>/dev/null || echo 0) / ${fsyncBytes}))
if { [ "$code" = 0 ] || [ "$code" = 124 ]; } && [ "$written" -gt 0 ]; then
  say fsync $((took / written / 1000))
fi
rm -f "$probe"
`;

const fsyncBytes = 2300;
const fsyncSeconds = 5;

const ofData = (path: string): string => `
room ${path}
[ -d ${dirname(path)} ] || say absent ${dirname(path)}
[ -e ${path} ] && say leftover ${path}`;

/** `HAProxy version 2.6.12-1+deb12u4 2026/10/17 - https://haproxy.org/`; before 2.4 it is `HA-Proxy`. */
const versionOf = (haproxy: string): string => `
say haproxy "$(${quote(haproxy)} -v 2>/dev/null | sed -n '1s/^HA-*Proxy version \\([0-9]*\\.[0-9]*\\).*/\\1/p')"`;

const resolves = (name: string): string => `
say name "${name} $(timeout 5 getent hosts ${quote(name)} | awk 'NR==1 {print $1}')"`;

/** A mirror has a list of what it has. */
const answers = (mirror: Mirror): string => `
${downloading(mirror)}
said=$(download ${quote(inMirror(mirror, "manifest.json"))} 2>&1) && said=${mirrorAnswers} || true
say mirror "$said"`;

/** What is reported of a mirror that does. */
export const mirrorAnswers = "answers";

/** Asks for its hardware address, which no firewall hides; a cached one may belong to a host that is gone. */
const askWhoHas = (vip: string): string => `
asked=
if ! ip -o addr show | grep -qF ' ${vip}/'; then
  ip neigh flush to ${vip} 2>/dev/null || true
  (echo | timeout 1 bash -c 'cat >/dev/udp/${vip}/9') 2>/dev/null || true
  asked=$(date +%s%N)
fi`;

/** An answer takes milliseconds: it has half a second, during which everything else is looked at. */
const whoAnswered = (vip: string): string => `
if [ -n "$asked" ]; then
  rest=$((500 - ($(date +%s%N) - asked) / 1000000))
  [ "$rest" -le 0 ] || sleep "0.$(printf %03d "$rest")"
  say vip "$(ip -o neigh show to ${vip} 2>/dev/null | sed -n 's/.* lladdr \\([^ ]*\\).*/\\1/p' | head -n 1)"
fi`;
