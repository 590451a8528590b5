import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** What runs in pods, and the shims above it, which name the directory of the lab. */
export function killAll(directory: string, lab: string): void {
  const shims = readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => commandOf(pid).includes(`${directory}/containerd.sock`));
  for (const pid of [...shims.map(Number), ...processesInPods(lab)])
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
}

/** Numbers of the processes in pods of a lab. */
export const processesInPods = (lab: string): number[] => cgroupsOf(lab).flatMap(processesIn);

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

/** Makes the cgroups that those of a lab's pods are in: a kubelet removes from its own whatever is no pod that it knows. */
export function makeCgroups(lab: string): void {
  const unified = join(cgroups, "cgroup.controllers");
  if (existsSync(unified)) {
    const controllers = readFileSync(unified, "utf8").trim().split(" ");
    writeFileSync(join(cgroups, "cgroup.subtree_control"), controllers.map((name) => `+${name}`).join(" "));
    mkdirSync(join(cgroups, lab), { recursive: true });
  } else {
    for (const controller of readdirSync(cgroups)) mkdirSync(join(cgroups, controller, lab), { recursive: true });
  }
}

/** One in each hierarchy of the machine. */
export const cgroupsOf = (lab: string): string[] =>
  ["", ...readdirSync(cgroups)]
    .map((controller) => join(cgroups, controller, lab))
    .filter((path) => subdirectories(path) !== undefined);

const cgroups = "/sys/fs/cgroup";

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
