import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

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

/** proc_pid_stat(5): field 3 is the state, field 22 the start in clock ticks since boot. */
function startOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // Field 2, the command, is in parentheses and may contain anything, parentheses and spaces included.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if ((fields[0] === "Z" || fields[0] === "X") && readdirSync(`/proc/${pid}/task`).length < 2) return undefined;
    boot ??= readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return `${boot}:${fields[19]}`;
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
