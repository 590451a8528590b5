import { posix } from "node:path";

/** What ProtectHome= hides from programs on hosts (systemd.exec(5)). */
export const homes: readonly string[] = ["/home", "/root", "/run/user"];

/** What PrivateTmp= hides from them. */
export const temporary: readonly string[] = ["/tmp", "/var/tmp"];

/** Whether a path is one of these directories, or lies below one. */
export function isBelow(path: string, directories: readonly string[]): boolean {
  const place = posix.normalize(`${path}/`);
  return directories.some((each) => place.startsWith(`${each}/`));
}
