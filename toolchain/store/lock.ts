import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { processStat } from "../process-stat.ts";

/** Who holds a lock. */
interface Holder {
  readonly host: string;
  readonly pid: number;
  /** When the process started, in the kernel's words, so that a reused pid is not taken for it. */
  readonly started: string;
  readonly id: string;
}

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called once when another run holds the lock. */
  readonly onWait?: (holder: string) => void;
  /** @default one hour */
  readonly deadlineSeconds?: number;
}

/** A holder on another machine, or one whose pid cannot be judged, is taken for dead after this silence. */
const silentSeconds = 60;

/**
 * Runs `work` while no other run of this program, on any machine sharing the directory, works under the same lock.
 * A lock of a process that has died is taken over. The lock saves double work; the store stays whole without it.
 */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  const me: Holder = { host: hostname(), pid: process.pid, started: startOf(process.pid), id: randomUUID() };
  await acquire(path, me, options);
  const alive = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), 5_000);
  alive.unref();
  try {
    return await work();
  } finally {
    clearInterval(alive);
    if ((await holderOf(path))?.id === me.id) await rm(path, { force: true });
  }
}

/** Whether a process of this machine exists. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function acquire(path: string, me: Holder, options: LockOptions): Promise<void> {
  const deadline = Date.now() + (options.deadlineSeconds ?? 3600) * 1000;
  for (let waited = false; !(await create(path, me));) {
    const holder = await holderOf(path);
    if (await isDead(path, holder)) {
      await takeAway(path);
      continue;
    }
    const who = holder ? `process ${holder.pid} on ${holder.host}` : "another run";
    if (Date.now() > deadline) {
      throw new Error(`${path}: held by ${who} for too long; end it, or remove the file if it is gone`);
    }
    if (!waited) options.onWait?.(who);
    waited = true;
    await sleep(100, undefined, options.signal ? { signal: options.signal } : {});
  }
}

async function create(path: string, me: Holder): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify(me), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Only one run at a time may remove a dead lock, and looks again before it does: it never removes a fresh one. */
async function takeAway(path: string): Promise<void> {
  const guard = `${path}.takeover`;
  const age = await secondsSinceTouched(guard);
  if (age !== undefined && age > 10) await rm(guard, { force: true });
  try {
    await writeFile(guard, "", { flag: "wx" });
  } catch {
    await sleep(50);
    return;
  }
  try {
    if (await isDead(path, await holderOf(path))) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

async function isDead(path: string, holder: Holder | undefined): Promise<boolean> {
  const silence = await secondsSinceTouched(path);
  if (silence === undefined) return false;
  // A file without content is being written right now, or its writer was killed in between.
  if (!holder) return silence > 5;
  if (holder.host !== hostname()) return silence > silentSeconds;
  if (!isRunning(holder.pid)) return true;
  const started = startOf(holder.pid);
  return started === "" || holder.started === "" ? silence > silentSeconds : started !== holder.started;
}

async function holderOf(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Holder;
  } catch {
    return undefined;
  }
}

async function secondsSinceTouched(path: string): Promise<number | undefined> {
  try {
    return (Date.now() - (await stat(path)).mtimeMs) / 1000;
  } catch {
    return undefined;
  }
}

/** Empty where there is no /proc. */
const startOf = (pid: number): string => processStat(pid)?.start ?? "";
