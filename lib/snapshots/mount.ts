import { readFileSync } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { deadlineIn, messageOf } from "../wait.ts";
import { TargetError } from "./target.ts";

/** The kernel's names for the file systems of a target. */
export const fileSystems = {
  nfs: ["nfs", "nfs4"],
  cephfs: ["ceph", "fuse.ceph", "fuse.ceph-fuse"],
} as const;

const ownMounts = "/proc/self/mountinfo";

/**
 * Checks that a directory, or the existing part of its path, is on a mount of one of these file systems. Without the
 * mount the same path is a directory of the root disk, which snapshots would fill until the machine stops.
 *
 * @throws TargetError `not-mounted`, or `unreachable` when the file system does not answer, like NFS without its server
 */
export async function requireMount(
  directory: string,
  types: readonly string[],
  options: { readonly seconds?: number; readonly mountinfo?: string; readonly advice?: string } = {},
): Promise<void> {
  const {
    seconds = 10,
    mountinfo = ownMounts,
    advice = "mount it, and let the machine do so when it starts",
  } = options;
  const existing = await answered(directory, seconds, existingPart(directory));
  const mount = mountOf(existing, await readFile(mountinfo, "utf8"));
  if (mount !== undefined && types.includes(mount.type)) return;
  const found = mount === undefined ? "nothing is mounted there" : `it is on ${mount.point}, which is ${mount.type}`;
  throw new TargetError(
    "not-mounted",
    `file://${directory}: ${found}, want a mount of type ${types.join(" or ")}\n${advice}`,
  );
}

/** The same by the list of mounts alone, without touching the directory: one that is mounted once it is used counts. */
export function seemsMounted(directory: string, types: readonly string[], mountinfo = ownMounts): boolean {
  try {
    return [...types, "autofs"].includes(mountOf(directory, readFileSync(mountinfo, "utf8"))?.type ?? "");
  } catch {
    return false;
  }
}

/** Where a path is mounted. */
export interface Mount {
  readonly point: string;
  readonly type: string;
}

/** The mount a real path is on, from the text of `/proc/<pid>/mountinfo` (proc(5)). The last one on a point covers the others. */
export function mountOf(path: string, mountinfo: string): Mount | undefined {
  let best: Mount | undefined;
  for (const line of mountinfo.split("\n")) {
    const [before, after] = line.split(" - ");
    const point = before?.split(" ")[4]?.replace(/\\(\d{3})/g, (_, octal: string) => charOf(octal));
    const type = after?.split(" ")[0];
    if (point === undefined || type === undefined || !isWithin(path, point)) continue;
    if (best === undefined || point.length >= best.point.length) best = { point, type };
  }
  return best;
}

const charOf = (octal: string) => String.fromCharCode(Number.parseInt(octal, 8));

const isWithin = (path: string, point: string) => point === "/" || path === point || path.startsWith(`${point}/`);

async function existingPart(path: string): Promise<string> {
  try {
    await stat(path); // triggers an automount
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
    return existingPart(dirname(path));
  }
}

async function answered<T>(directory: string, seconds: number, asked: Promise<T>): Promise<T> {
  const { signal } = deadlineIn(seconds);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error(`its file system did not answer for ${seconds} s`)));
  });
  try {
    return await Promise.race([asked, late]);
  } catch (error) {
    throw new TargetError("unreachable", `file://${directory}: ${messageOf(error)}`, { cause: error });
  }
}
