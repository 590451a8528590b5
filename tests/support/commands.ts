import { execFileSync } from "node:child_process";

/** Runs a program to its end. @throws with what it said on standard error */
export function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: ["ignore", "ignore", "pipe"] });
}

/** The same for what may have nothing to do: its failure is none. */
export function quietly(program: string, ...args: string[]): void {
  try {
    run(program, ...args);
  } catch {
    // It is not there.
  }
}
