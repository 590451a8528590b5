import { readFileSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";

/** What one process takes. */
export interface Usage {
  /** Memory that it has now, in MiB. */
  readonly memory: number;
  /** The most it has had since {@link forgetPeak}, in MiB. */
  readonly peak: number;
  /** Processor time that it has spent since it began, in seconds. */
  readonly processor: number;
}

/** Ticks a second in which the kernel counts processor time. */
const ticks = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/** @throws when the process has ended */
export function usageOf(pid: number): Usage {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mebibytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
  // After the name, which is in brackets and may hold anything: utime and stime are the 12th and the 13th (proc(5)).
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
  const processor = (Number(fields[11]) + Number(fields[12])) / ticks;
  return { memory: mebibytes("VmRSS"), peak: mebibytes("VmHWM"), processor };
}

/** Makes what a process has now the most that it has had (proc(5), clear_refs). */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
