import { readFileSync } from "node:fs";

/**
 * What to do when a program of this machine ends because "too many files are open". It is the watchers of files that Linux
 * allows few of (128), for all programs of a user together: each server watches its certificates by one or more.
 *
 * @param log the last lines of what the program wrote
 * @returns undefined when it was something else
 */
export function adviceOnOpenFiles(log: readonly string[]): string | undefined {
  if (process.platform !== "linux" || !log.some((line) => line.includes("too many open files"))) return undefined;
  const allowed = readFileSync("/proc/sys/fs/inotify/max_user_instances", "utf8").trim();
  return `this machine allows ${allowed} watchers of files to all programs of a user; most likely they are taken
allow more, as root: sysctl fs.inotify.max_user_instances=8192 (and write it into /etc/sysctl.d)`;
}
