import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessDescription } from "./description.ts";
import { isAlive, startOf } from "./identity.ts";
import { marker, markedProcesses } from "./marker.ts";

/** What is noted on disk about a started program, so that the next supervisor knows it again. */
export interface RunningRecord {
  readonly pid: number;
  /** See `startOf`. */
  readonly start: string;
  readonly revision: string;
  /** ISO 8601. */
  readonly startedAt: string;
}

/** One run of a program. */
export interface Instance extends RunningRecord {
  /** Resolves with the reason, for instance `exit code 1`. */
  readonly exited: Promise<string>;
}

/**
 * Starts a program in a session of its own, its output going straight to its log: nothing of it depends on this process,
 * which may be killed at any time without the program noticing.
 *
 * @throws with the system's reason when the program cannot be executed, or when the directory it needs is not there.
 */
export async function launch(description: ProcessDescription, directory: string): Promise<Instance> {
  if (description.needs !== undefined && !existsSync(description.needs))
    throw new Error(`${description.needs} is gone`);
  mkdirSync(description.workingDirectory, { recursive: true, mode: 0o700 });
  mkdirSync(dirname(description.log), { recursive: true, mode: 0o700 });
  const log = openSync(description.log, "a", 0o600);
  const child = spawn(description.command, description.args, {
    cwd: description.workingDirectory,
    detached: true,
    stdio: ["ignore", log, log],
    env: { ...environment(process.env), ...description.env, ...marker(directory, description.name) },
  });
  closeSync(log);
  const exited = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  await new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  const pid = child.pid!;
  const startedAt = new Date().toISOString();
  // A program that is over by now has no start any more; what it left is found by its marker.
  return { pid, start: startOf(pid) ?? "over", revision: description.revision, startedAt, exited };
}

/** The few variables a supervised program gets from outside: the caller's may hold passphrases and proxies. */
export function environment(outside: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = ["HOME", "USER", "LOGNAME", "PATH", "LANG", "LC_ALL", "TZ", "TMPDIR"];
  return Object.fromEntries(passed.flatMap((name) => (outside[name] === undefined ? [] : [[name, outside[name]]])));
}

// Not our child any more, so nobody tells us of its end. On darwin a look costs a run of ps(1).
const watchMilliseconds = process.platform === "linux" ? 500 : 5000;

/** Takes over a program that an earlier supervisor started, if it still runs. */
export function adopt(record: RunningRecord): Instance | undefined {
  if (!isAlive(record.pid, record.start)) return undefined;
  return { ...record, exited: gone(record) };
}

async function gone({ pid, start }: RunningRecord): Promise<string> {
  while (isAlive(pid, start)) await sleep(watchMilliseconds);
  return "ended (it was started by an earlier supervisor, the exit code is not known)";
}

/**
 * Ends a run: SIGTERM to the program, which then ends what it started; SIGKILL to all that is left of it after
 * `seconds`, or as soon as the program itself has ended.
 */
export async function stop(instance: RunningRecord, seconds: number, name: string, directory: string): Promise<void> {
  const { pid, start } = instance;
  if (isAlive(pid, start)) signal(pid, "SIGTERM");
  const deadline = Date.now() + seconds * 1000;
  let pause = 5;
  while (isAlive(pid, start) && Date.now() < deadline) {
    await sleep(Math.min(pause, Math.max(1, deadline - Date.now())));
    pause = Math.min(pause * 1.5, 200);
  }
  await killRemains(name, directory, isAlive(pid, start) ? [pid] : []);
}

const killSeconds = 10;

/**
 * Kills every process that carries a program's marker, and `also`, with their process groups.
 *
 * @throws when one of them is still there after 10 s: it hangs in the kernel.
 */
export async function killRemains(name: string, directory: string, also: readonly number[] = []): Promise<void> {
  const deadline = Date.now() + killSeconds * 1000;
  const known = also.map((pid) => ({ pid, start: startOf(pid) }));
  // One that is just ending has let go of its environment, and so of its marker, but not yet of its ports and locks.
  const remains = () => {
    const ending = known.filter(({ pid, start }) => start !== undefined && isAlive(pid, start)).map(({ pid }) => pid);
    return [...new Set([...ending, ...markedProcesses(directory, name)])];
  };
  let left = remains();
  let pause = 10;
  while (left.length > 0) {
    for (const pid of left) {
      signal(-pid, "SIGKILL");
      signal(pid, "SIGKILL");
    }
    await sleep(pause);
    pause = Math.min(pause * 1.5, 200);
    left = remains().filter((pid) => startOf(pid) !== undefined);
    if (left.length > 0 && Date.now() > deadline) {
      throw new Error(`${name}: process ${left.join(", ")} did not end ${killSeconds}s after SIGKILL`);
    }
  }
}

/** A group exists only under its leader's id, and either may be gone by now. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
