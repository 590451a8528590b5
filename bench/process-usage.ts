import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { memoryOf } from "../tests/support/peak-memory.ts";
import { processStat } from "../toolchain/process-stat.ts";

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
const ticksPerSecond = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/** @throws when the process has ended */
export function usageOf(pid: number): Usage {
  const [memory, stat] = [memoryOf(pid), processStat(pid)];
  if (memory === undefined || stat === undefined) throw new Error(`process ${pid} has ended`);
  const mebibyte = 2 ** 20;
  return { memory: memory.now / mebibyte, peak: memory.peak / mebibyte, processor: stat.ticks / ticksPerSecond };
}

/** Makes what a process has now the most that it has had (proc(5), clear_refs). */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
