import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * SIGKILL to a process and everything below it that pulumi itself started; what is detached on purpose lives on. Returns
 * when they have ended.
 */
export async function killTree(pid: number): Promise<void> {
  const parents = new Map<number, number>();
  for (const entry of await readdir("/proc")) {
    const stat = /^\d+$/.test(entry) ? await readFile(`/proc/${entry}/stat`, "utf8").catch(() => "") : "";
    const parent = /\) \S (\d+)/.exec(stat)?.[1];
    if (parent !== undefined) parents.set(Number(entry), Number(parent));
  }
  const doomed = [pid];
  for (const one of doomed) for (const [child, parent] of parents) if (parent === one) doomed.push(child);
  for (const one of doomed) {
    try {
      process.kill(one, "SIGKILL");
    } catch {
      // it has ended meanwhile
    }
  }
  while ((await Promise.all(doomed.map(lives))).some(Boolean)) await sleep(20);
}

/** One that nobody has asked how it ended does not live. */
async function lives(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return / [^ZX] \d/.test(stat.slice(stat.lastIndexOf(")") + 1));
}
