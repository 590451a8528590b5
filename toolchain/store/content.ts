import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

/** One file of an artifact. */
export interface ContentFile {
  /** Relative to the artifact's directory, with `/`. */
  readonly path: string;
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  readonly executable: boolean;
}

/** Every file below a directory, sorted by path and hashed. @throws on links and special files */
export async function describeContent(directory: string): Promise<ContentFile[]> {
  const files: ContentFile[] = [];
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile()) throw new Error(`${path}: neither a file nor a directory, an artifact has only those`);
    const { size, mode } = await stat(path);
    files.push({
      path: path.slice(directory.length + 1),
      sha256: await fileSha256(path),
      size,
      executable: (mode & 0o100) !== 0,
    });
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** One checksum for a whole artifact: paths, contents and which files may be executed. */
export function contentSha256(files: readonly ContentFile[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(`${file.sha256} ${file.executable ? "x" : "-"} ${file.path}\n`);
  return hash.digest("hex");
}

/** SHA-256 of a file, in hex. */
export async function fileSha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest("hex");
}

/** Gives every file its final mode and makes sure that it is on the disk. */
export async function settleContent(directory: string, files: readonly ContentFile[]): Promise<void> {
  for (const file of files) {
    const path = join(directory, file.path);
    await chmod(path, file.executable ? 0o755 : 0o644);
    await sync(path);
  }
  await sync(directory);
}

/** Waits until a file, or the names in a directory, would survive a power cut. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
