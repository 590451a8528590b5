import { readFileSync } from "node:fs";

/** What Linux tells of a process: proc_pid_stat(5). */
export interface ProcessStat {
  /** Of its program, cut off after 15 characters. */
  readonly name: string;
  /** A letter; one of `Z` and `X` has ended. */
  readonly state: string;
  /** The group it is in. */
  readonly group: string;
  /** The group that a Ctrl-C at its terminal reaches; `-1` where it has no terminal. */
  readonly foreground: string;
  /** Its start in clock ticks since boot. */
  readonly start: string;
  /** Processor time that it has spent, in clock ticks. */
  readonly ticks: number;
}

/** Undefined if there is no such process, or no /proc to tell. */
export function processStat(pid: number): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name is in parentheses and may contain anything, parentheses and spaces included.
    const end = stat.lastIndexOf(")");
    const fields = stat.slice(end + 2).split(" ");
    return {
      name: stat.slice(stat.indexOf("(") + 1, end),
      state: fields[0]!,
      group: fields[2]!,
      foreground: fields[5]!,
      start: fields[19]!,
      ticks: Number(fields[11]) + Number(fields[12]),
    };
  } catch {
    return undefined;
  }
}

/** Whether it is only still listed, as until its parent has asked how it ended. */
export const hasEnded = ({ state }: ProcessStat): boolean => state === "Z" || state === "X";
