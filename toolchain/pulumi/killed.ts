import { readdir, readFile, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Clears away what a killed pulumi leaves in a local backend and stumbles over the next time: the lock of a process of this
 * machine that is no more, and metadata files that were made but not written ("failed to load checkpoint: EOF"). State
 * itself is replaced in one step and needs no repair.
 *
 * @param backend the URL of a backend; one that is no local directory is left alone
 * @returns a sentence for each thing that was cleared away
 */
export async function clearAfterKill(backend: string | undefined): Promise<string[]> {
  if (!backend?.startsWith("file:///")) return [];
  const root = join(fileURLToPath(new URL(backend.split("?")[0]!)), ".pulumi");
  const [locks, files] = await Promise.all([filesBelow(join(root, "locks")), filesBelow(join(root, "stacks"))]);
  const cleared: string[] = [];
  for (const path of locks.filter((path) => path.endsWith(".json"))) {
    const pid = await deadOwner(path);
    if (pid === undefined) continue;
    await rm(path, { force: true });
    cleared.push(`removed the lock of process ${pid}, which is no more: ${path}`);
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

/** The process a lock names, when it ran on this machine and has ended. */
async function deadOwner(lock: string): Promise<number | undefined> {
  try {
    const { pid, hostname: host } = JSON.parse(await readFile(lock, "utf8")) as { pid?: number; hostname?: string };
    if (host !== hostname() || !Number.isInteger(pid)) return undefined;
    return (await isPulumi(pid!)) ? undefined : pid;
  } catch {
    return undefined; // being written, or not pulumi's: left to pulumi
  }
}

/**
 * Whether a process lives; where /proc tells, whether it is pulumi and not a later process with the same number. One that has
 * ended is still listed until somebody asks how, which in many a container nobody does.
 */
async function isPulumi(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => `${pid} (pulumi) S`);
  return /^\d+ \(pulumi.*\) [^ZX]/.test(stat);
}
