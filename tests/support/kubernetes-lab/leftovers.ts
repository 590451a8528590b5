import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** What runs in pods, and the shims above it, which name the directory of the lab. */
export function killAll(directory: string): void {
  const shims = readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => commandOf(pid).includes(`${directory}/containerd.sock`));
  for (const pid of [...shims.map(Number), ...processesInPods()])
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
}

/** Numbers of the processes in pods. */
export const processesInPods = (): number[] => podCgroups().flatMap(processesIn);

/** The command line of a process, its words ended by zeros; empty when it is gone. */
export function commandOf(pid: number | string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** What kubelet and containerd write to places that nobody can choose. */
export function removeFiles(directory: string, network: string): void {
  const logs = "/var/log/containers";
  remove(logs, (name) => leadsInto(join(logs, name), directory));
  const results = "/var/lib/cni/results";
  const sandboxes = namesIn(results).flatMap((name) => new RegExp(`^${network}-(.*)-eth0$`).exec(name)?.[1] ?? []);
  remove(results, (name) => sandboxes.some((sandbox) => name.includes(sandbox)));
  rmSync("/var/lib/kubelet/device-plugins/kubelet.sock", { force: true });
}

const leadsInto = (path: string, directory: string): boolean =>
  lstatSync(path).isSymbolicLink() && readlinkSync(path).startsWith(`${directory}/`);

function remove(path: string, isOurs: (name: string) => boolean): void {
  for (const name of namesIn(path).filter(isOurs)) rmSync(join(path, name), { force: true });
}

const namesIn = (path: string): string[] => (existsSync(path) ? readdirSync(path) : []);

/** One in each hierarchy of the machine. */
export const podCgroups = () =>
  ["", ...readdirSync("/sys/fs/cgroup")]
    .map((controller) => join("/sys/fs/cgroup", controller, "kubepods"))
    .filter((path) => subdirectories(path) !== undefined);

function processesIn(cgroup: string): number[] {
  const own = readFileSync(join(cgroup, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number);
  return [...own, ...(subdirectories(cgroup) ?? []).flatMap(processesIn)];
}

export async function removeTree(cgroup: string): Promise<void> {
  for (const each of subdirectories(cgroup) ?? []) await removeTree(each);
  for (let i = 0; i < 100; i++)
    try {
      return rmdirSync(cgroup);
    } catch {
      // What was killed takes a moment to be gone.
      await sleep(50);
    }
}

function subdirectories(path: string): string[] | undefined {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
  } catch {
    return undefined;
  }
}
