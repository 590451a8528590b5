import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";

/** Whether mounts can be made here. CI must be able to. */
export const canMount = process.getuid?.() === 0 && process.platform === "linux";
if (!canMount && process.env["CI"]) throw new Error("mounts need Linux and root, and CI must have them");

/** Mounts an empty file system in memory; an answer that unmounts it. A number is of megabytes. */
export async function mountTmpfs(directory: string, size: number | `${number}k`): Promise<() => Promise<void>> {
  mkdirSync(directory, { recursive: true });
  await execa("mount", [
    "-t",
    "tmpfs",
    "-o",
    `size=${typeof size === "number" ? `${size}m` : size}`,
    "tmpfs",
    directory,
  ]);
  return async () => {
    await execa("umount", [directory]);
  };
}

/** Shows a directory at another place by a file system that is CephFS by its name, `fuse.ceph`; an answer that unmounts it. */
export async function mountAsCeph(directory: string, at: string): Promise<() => Promise<void>> {
  mkdirSync(at, { recursive: true });
  await execa("bindfs", ["-o", "subtype=ceph", directory, at]);
  return async () => {
    await execa("umount", [at]);
  };
}

/** Mounts a file system that can be frozen, for half a minute at most: whoever writes to it then hangs beyond any signal. */
export async function mountFreezable(
  directory: string,
): Promise<Record<"freeze" | "thaw" | "unmount", () => Promise<void>>> {
  const image = `${directory}.ext4`;
  mkdirSync(directory, { recursive: true });
  await execa("truncate", ["-s", "64M", image]);
  await execa("mkfs.ext4", ["-q", "-m", "0", image]);
  await execa("mount", ["-o", "loop", image, directory]);
  let relief: NodeJS.Timeout | undefined;
  const thaw = async () => {
    clearTimeout(relief);
    await execa("fsfreeze", ["-u", directory], { reject: false });
  };
  return {
    freeze: async () => {
      await execa("fsfreeze", ["-f", directory]);
      relief = setTimeout(() => void thaw(), 30_000);
    },
    thaw,
    unmount: async () => {
      await thaw();
      await execa("umount", [directory]);
    },
  };
}

/** Takes all the space that a small file system has left, also that of the last block of a file; an answer that gives back most of it. */
export function fillUp(directory: string, file = join(directory, "filler")): () => void {
  for (const path of [join(directory, "filler"), file])
    for (let fits = true; fits;) {
      try {
        appendFileSync(path, Buffer.alloc(4096, "x"));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
        fits = false;
      }
    }
  return () => rmSync(join(directory, "filler"));
}

/** Shows a directory at another place as well; an answer that takes it away there. */
export async function mountBind(directory: string, at: string): Promise<() => Promise<void>> {
  mkdirSync(at, { recursive: true });
  await execa("mount", ["--bind", directory, at]);
  return async () => {
    await execa("umount", [at]);
  };
}
