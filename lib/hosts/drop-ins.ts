import type { Host } from "./host.ts";
import { hostProcessPaths } from "./layout.ts";

/**
 * Starts a process again if a drop-in of an operator's has come, changed or gone since it was started, which it runs without;
 * systemd reads them first. Drop-ins of `systemctl set-property` are left out: they take effect at once.
 *
 * @param seconds for all of it, its end included
 * @returns such a drop-in, or the directory that one has gone from; undefined when there is nothing new
 */
export async function restartForDropIns(host: Host, name: string, seconds: number): Promise<string | undefined> {
  const { unit, unitFile } = hostProcessPaths(name);
  const directory = `${unitFile}.d`;
  const script = [
    `stale=$(systemctl show ${unit} -p NeedDaemonReload --value)`,
    // Of a directory that has just come systemd says nothing until it has read all units.
    `systemctl daemon-reload`,
    `started=$(systemctl show ${unit} -p ExecMainStartTimestampMonotonic --value)`,
    `read -r up rest </proc/uptime`,
    `since=$(($(date +%s) - \${up%.*} + started / 1000000))`,
    `[ "$stale" = no ] && new= || new=${directory}`,
    `for each in ${directory} $(systemctl show ${unit} -p DropInPaths --value); do`,
    `  case $each in */system.control/*) continue ;; esac`,
    `  [ -z "$(find $each -maxdepth 0 -newermt "@$since" 2>/dev/null)" ] || new=$each`,
    `done`,
    `[ -n "$new" ] || return 0`,
    `echo $new`,
    // It answers the probe until it ends, and by its revision nobody could tell it from the next one.
    `systemctl stop ${unit}`,
    `systemctl restart --no-block ${unit}`,
  ];
  const found = (await host.run(`looking for drop-ins of ${name}`, script.join("\n"), { seconds })).trim();
  return found === "" ? undefined : found;
}
