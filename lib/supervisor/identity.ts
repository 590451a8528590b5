import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { hasEnded, processStat } from "../../toolchain/process-stat.ts";

/**
 * When a process was started, as a text that no other process with the same id ever has: together with the id it tells
 * our process from a stranger that was given its number later.
 *
 * @returns undefined when no such process runs (one that ended and waits for its parent does not run; one of which some
 *   threads have not ended yet does, and holds its ports: a killed etcd while the disk has not let go of its writers)
 */
export function startOf(pid: number): string | undefined {
  return process.platform === "linux" ? startOnLinux(pid) : startByPs(pid);
}

/** Whether the process that had this id at that start still runs. */
export function isAlive(pid: number, start: string): boolean {
  return startOf(pid) === start;
}

let boot: string | undefined;

function startOnLinux(pid: number): string | undefined {
  const stat = processStat(pid);
  if (stat === undefined) return undefined;
  try {
    if (hasEnded(stat) && readdirSync(`/proc/${pid}/task`).length < 2) return undefined;
    boot ??= readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return `${boot}:${stat.start}`;
  } catch {
    return undefined;
  }
}

/** ps(1) on darwin: the start with a resolution of one second. */
function startByPs(pid: number): string | undefined {
  try {
    const line = execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env: { LC_ALL: "C", PATH: "/bin:/usr/bin" },
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
    return line === "" || line.startsWith("Z") ? undefined : line.replace(/^\S+\s+/, "");
  } catch {
    return undefined;
  }
}
