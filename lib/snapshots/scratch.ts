import { mkdir, statfs } from "node:fs/promises";

/** Makes a scratch directory and proves that so many bytes fit into it. */
export async function roomFor(scratch: string, bytes: number): Promise<void> {
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  const { bavail, bsize } = await statfs(scratch);
  const free = bavail * bsize;
  if (free >= bytes) return;
  const inMiB = (count: number) => `${Math.ceil(count / 2 ** 20)} MiB`;
  throw new Error(
    `${scratch}: ${inMiB(free)} are free, checking the snapshot needs ${inMiB(bytes)}\nset snapshots.scratch to a directory with room, or verify: sha`,
  );
}
