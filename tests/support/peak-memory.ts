import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** The most memory a process ever had, in MB; undefined once it has ended. */
export function peakMemory(pid: number): number | undefined {
  const peak = memoryOf(pid)?.peak;
  return peak && peak / 1e6;
}

/** What a process has now, and the most it ever had, in bytes; undefined once it has ended. */
export function memoryOf(pid: number): { readonly now: number; readonly peak: number } | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const bytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024;
    const [now, peak] = [bytes("VmRSS"), bytes("VmHWM")];
    return Number.isNaN(peak) ? undefined : { now, peak };
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
