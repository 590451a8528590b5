import { hostPaths } from "./layout.ts";

/** Accounts are changed by one at a time: useradd(8) gives up after a while when others do. */
const accountsLock = "/run/karmada-accounts.lock";

/**
 * Shell commands that make a user and its group where either is missing. What somebody has deleted gets the numbers that its
 * data belong to, where nobody has them by now: what runs goes on as who it was. A shell knows by itself who there is
 * (`~user`), without a program.
 *
 * @param data directory of what the user has
 */
export function accountScript(user: string, data: string): string {
  const isTaken = (database: string, number: string) => `getent ${database} "${number}" >/dev/null`;
  const make = [
    // Another process of the same kind may be making it.
    `flock 9`,
    `account=~${user}`,
    `[ "$account" != '~${user}' ] || [ -e ${data} ] || ! ${makeAccount(user, "--user-group")} 2>/dev/null || exit 0`,
    `account=$(getent passwd ${user} || true)`,
    `group=$(getent group ${user} || true)`,
    `[ -z "$account" ] || [ -z "$group" ] || exit 0`,
    `set --`,
    `[ ! -e ${data} ] || set -- $(stat -c '%u %g' ${data})`,
    `uid= gid=`,
    `[ "\${1:-0}" = 0 ] || ${isTaken("passwd", "$1")} || uid="--uid $1"`,
    `[ "\${2:-0}" = 0 ] || ${isTaken("group", "$2")} || gid="--gid $2"`,
    `if [ -n "$account" ]; then exec groupadd --system --gid "$(id -g ${user})" ${user}; fi`,
    `[ -z "$gid" ] || [ -n "$group" ] || { groupadd --system $gid ${user}; group=made; }`,
    `if [ -n "$group" ]; then gid="--gid ${user}"; else gid=--user-group; fi`,
    `exec ${makeAccount(user, "$uid $gid")}`,
  ];
  return [
    `account=~${user}`,
    `if [ "$account" = '~${user}' ] || ! getent group ${user} >/dev/null; then`,
    `(\n${make.join("\n")}\n) 9>${accountsLock}`,
    `fi`,
  ].join("\n");
}

const makeAccount = (user: string, numbers: string): string =>
  `useradd --system ${numbers} --no-create-home --home-dir / --shell /usr/sbin/nologin ${user}`;

/**
 * Shell commands that remove a user of which no process is left, and its group, which userdel(8) leaves where login.defs has
 * `USERGROUPS_ENAB no`, as that of SUSE. A group that somebody has been put into stays.
 */
export const removeAccount = (user: string): string =>
  [
    `if ! grep -qsx "User=${user}" ${hostPaths.units}/karmada-*.service; then`,
    `  flock ${accountsLock} userdel ${user} 2>/dev/null || true`,
    `  case "$(getent group ${user})" in *:) flock ${accountsLock} groupdel ${user} 2>/dev/null || true ;; esac`,
    `fi`,
  ].join("\n");
