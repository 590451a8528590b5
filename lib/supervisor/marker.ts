import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

const variable = "KARMADA_SUPERVISED_AS";

/**
 * The environment variable every supervised program is started with, and its children inherit. It finds them again when
 * nothing else does: a supervisor killed between starting a program and noting it down, a grandchild in a session of its own.
 */
export function marker(directory: string, name: string): Record<string, string> {
  return { [variable]: `${directory}//${name}` };
}

/** The ids of all running processes that carry the marker of one supervised program, or of any of a directory. */
export function markedProcesses(directory: string, name?: string): number[] {
  const wanted = `${variable}=${directory}//`;
  const carries = (entry: string): boolean =>
    name === undefined ? entry.startsWith(wanted) : entry === `${wanted}${name}`;
  return environments()
    .filter(({ pid, entries }) => pid !== process.pid && entries.some(carries))
    .map(({ pid }) => pid);
}

/** Whether a process belongs to a supervised program of this directory. */
export function isMarked(pid: number, directory: string): boolean {
  return environmentOnLinux(pid)?.some((entry) => entry.startsWith(`${variable}=${directory}//`)) ?? false;
}

function environments(): { pid: number; entries: string[] }[] {
  if (process.platform !== "linux") return environmentsByPs();
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map((entry) => ({ pid: Number(entry), entries: environmentOnLinux(Number(entry)) ?? [] }));
}

/** Other users' processes cannot be read, and ended ones have no environment any more: neither is ours. */
function environmentOnLinux(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return undefined;
  }
}

/** ps(1) on darwin appends the environment to the command with -E, for the caller's own processes. */
function environmentsByPs(): { pid: number; entries: string[] }[] {
  const lines = execFileSync("ps", ["-Eww", "-x", "-o", "pid=,command="], { encoding: "utf8", maxBuffer: 2 ** 26 });
  return lines.split("\n").flatMap((line) => {
    const found = /^\s*(\d+)\s(.*)$/.exec(line);
    return found === null ? [] : [{ pid: Number(found[1]), entries: found[2]!.split(" ") }];
  });
}
