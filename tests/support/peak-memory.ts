import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** The most memory a process ever had, in MB; undefined once it has ended. */
export function peakMemory(pid: number): number | undefined {
  try {
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return peak?.[1] === undefined ? undefined : (Number(peak[1]) * 1024) / 1e6;
  } catch {
    return undefined;
  }
}

/** The same of a process that is about to do its work, asked for until it ends. */
export async function peakUntilEnd(pid: number): Promise<number> {
  let highest = 0;
  for (let seen = peakMemory(pid); seen !== undefined; seen = peakMemory(pid)) {
    highest = seen;
    await sleep(10);
  }
  return highest;
}
