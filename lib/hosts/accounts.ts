import { hostPaths } from "./layout.ts";

/** Accounts are changed one at a time: useradd(8) gives up after a while when others hold its lock. */
const accountsLock = "/run/karmada-accounts.lock";

/**
 * Shell commands that make a user and its group where either is missing. A deleted one gets back the numbers that own
 * its data, if they are still free, so that running programs keep their identity. A shell can tell by itself whether a
 * user exists (`~user`), without a program.
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
 * Shell commands that remove a user without processes, and its group, which userdel(8) leaves where login.defs has
 * `USERGROUPS_ENAB no`, as on SUSE. A group with members stays.
 */
export const removeAccount = (user: string): string =>
  [
    `if ! grep -qsx "User=${user}" ${hostPaths.units}/karmada-*.service; then`,
    `  flock ${accountsLock} userdel ${user} 2>/dev/null || true`,
    `  case "$(getent group ${user})" in *:) flock ${accountsLock} groupdel ${user} 2>/dev/null || true ;; esac`,
    `fi`,
  ].join("\n");
