import { mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { hasEnded, processStat } from "../process-stat.ts";
import { directoryOfBackend } from "./backend.ts";
import { checkout } from "./checkout.ts";

/** Where the runs of this checkout are noted while they last. */
const ownRuns = join(checkout, ".pulumi", "runs");

/**
 * Notes that a pulumi runs. A lock has no more than the number of a process and the name of its machine, which others who share
 * a backend may have, too: containers of one name, or of that of the machine they are on. So only what is noted here is ever
 * taken for a process that is no more.
 *
 * @param backend the URL of its backend; nothing is noted for one that is no local directory
 * @returns takes the note away, for a run that has ended by itself
 */
export function noteRun(pid: number | undefined, backend: string | undefined, runs = ownRuns): () => void {
  const directory = directoryOfBackend(backend);
  if (pid === undefined || directory === undefined) return () => {};
  const path = join(runs, String(pid));
  try {
    mkdirSync(runs, { recursive: true });
    writeFileSync(path, JSON.stringify({ directory, ...numbering() } satisfies Note));
  } catch {
    // A full disk: it runs by now, and if it is killed, pulumi names its lock.
  }
  return () => rmSync(path, { force: true });
}

interface Note extends Numbering {
  /** Of the backend. */
  readonly directory: string;
}

/** Where the number of a process means that process; empty on systems that have one for all. */
interface Numbering {
  /** Another one each time the machine starts. */
  readonly boot?: string;
  readonly namespace?: string;
}

function numbering(): Numbering {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return { boot, namespace: readlinkSync("/proc/self/ns/pid") };
  } catch {
    return {};
  }
}

/**
 * Clears away what a killed pulumi leaves in a local backend and stumbles over the next time: the lock of a process that this
 * checkout ran and is no more, and metadata files that were made but not written ("failed to load checkpoint: EOF"). State
 * itself is replaced in one step and needs no repair.
 *
 * @param backend the URL of a backend; one that is no local directory is left alone
 * @returns a sentence for each thing that was cleared away
 */
export async function clearAfterKill(backend: string | undefined, runs = ownRuns): Promise<string[]> {
  const directory = directoryOfBackend(backend);
  if (directory === undefined) return [];
  const root = join(directory, ".pulumi");
  const [locks, files] = await Promise.all([filesBelow(join(root, "locks")), filesBelow(join(root, "stacks"))]);
  const cleared: string[] = [];
  for (const pid of await killedRuns(directory, runs)) {
    for (const path of locks.filter((path) => path.endsWith(".json"))) {
      if (!(await isLockOf(pid, path))) continue;
      await rm(path, { force: true });
      cleared.push(`removed the lock of process ${pid}, which is no more: ${path}`);
    }
    await rm(join(runs, String(pid)), { force: true });
  }
  for (const path of files.filter((path) => path.endsWith(".attrs"))) {
    if ((await stat(path).catch(() => undefined))?.size !== 0) continue;
    await rm(path, { force: true });
    cleared.push(`removed ${path}, left empty by a run that was killed`);
  }
  return cleared;
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** What is noted as running with a backend, and is no more. */
async function killedRuns(directory: string, runs: string): Promise<number[]> {
  const killed: number[] = [];
  for (const pid of (await readdir(runs).catch(() => [])).map(Number)) {
    const noted = await parsed<Note>(join(runs, String(pid)));
    if (noted?.directory !== directory) continue;
    const { boot, namespace } = numbering();
    if (noted.boot !== boot || (noted.namespace === namespace && !isPulumi(pid))) killed.push(pid);
  }
  return killed;
}

async function isLockOf(pid: number, lock: string): Promise<boolean> {
  const owner = await parsed<{ pid: number; hostname: string }>(lock);
  return owner?.pid === pid && owner.hostname === hostname();
}

/** Undefined while it is being written, or when it is something else. */
async function parsed<T>(path: string): Promise<Partial<T> | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Partial<T>;
  } catch {
    return undefined;
  }
}

/**
 * Whether a process lives; where /proc tells, whether it is pulumi and not a later process with the same number. One
 * that has ended is still listed until it is reaped, which never happens in many containers.
 */
function isPulumi(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const stat = processStat(pid);
  return stat === undefined || (stat.name.startsWith("pulumi") && !hasEnded(stat));
}
