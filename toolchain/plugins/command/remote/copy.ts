import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join, posix } from "node:path";
import { Readable } from "node:stream";
import type { Log } from "../../server/index.ts";
import type { Connection } from "./connection.ts";
import { withConnection } from "./dial.ts";
import { RemoteFiles, sftpReason } from "./sftp.ts";

export type Source = { readonly text: string } | { readonly path: string };

/**
 * Copies a text, file or directory. As with rsync, a directory whose path ends in `/` gives its content, any other
 * goes into the destination under its own name; a file goes into a destination that is a directory.
 */
export async function copy(
  connection: Connection,
  source: Source,
  destination: string,
  context: { log: Log; signal: AbortSignal },
): Promise<void> {
  const from = "text" in source ? "text asset" : `local file ${source.path}`;
  context.log("debug", `Creating file: ${connection.host}:${destination} from ${from}`);
  await withConnection(connection, context, async (client) => {
    const files = await RemoteFiles.open(client);
    if ("text" in source) await copyText(files, source.text, destination);
    else await copyPath(files, source.path, destination);
  });
}

async function copyText(files: RemoteFiles, text: string, destination: string): Promise<void> {
  if ((await files.stat(destination))?.isDirectory()) {
    throw new Error(
      `remote path ${destination} is a directory; when using a text asset, remotePath must be a file path`,
    );
  }
  await makeParents(files, destination);
  await files.write(destination, Readable.from([Buffer.from(text)]));
}

async function copyPath(files: RemoteFiles, source: string, destination: string): Promise<void> {
  const isDirectory = (await localStat(source)).isDirectory();
  const there = await files.stat(destination);
  if (!isDirectory) return copyFileTo(files, source, destination, there);
  if (!there) await makeDirectory(destination, () => files.makeDirectories(destination));
  if (source.endsWith("/")) return copyDirectory(files, source, destination);
  const target = posix.join(destination, basename(source));
  await ensureDirectory(files, target);
  await copyDirectory(files, source, target);
}

async function copyFileTo(
  files: RemoteFiles,
  source: string,
  destination: string,
  there: { isDirectory(): boolean } | undefined,
): Promise<void> {
  if (there?.isDirectory()) return copyFile(files, source, posix.join(destination, basename(source)));
  if (!there) await makeParents(files, destination);
  await copyFile(files, source, destination);
}

async function copyDirectory(files: RemoteFiles, source: string, destination: string): Promise<void> {
  await ensureDirectory(files, destination);
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), posix.join(destination, entry.name)];
    await (entry.isDirectory() ? copyDirectory(files, from, to) : copyFile(files, from, to));
  }
}

async function copyFile(files: RemoteFiles, source: string, destination: string): Promise<void> {
  await localStat(source);
  await files.write(destination, createReadStream(source));
}

async function ensureDirectory(files: RemoteFiles, path: string): Promise<void> {
  const there = await files.stat(path);
  if (there && !there.isDirectory()) throw new Error(`remote path ${path} exists but is not a directory`);
  if (!there) await makeDirectory(path, () => files.makeDirectory(path));
}

async function makeDirectory(path: string, make: () => Promise<void>): Promise<void> {
  await make().catch((error: unknown) => {
    throw new Error(`failed to create remote directory ${path}: ${sftpReason(error)}`);
  });
}

async function makeParents(files: RemoteFiles, path: string): Promise<void> {
  await files.makeDirectories(posix.dirname(path)).catch((error: unknown) => {
    throw new Error(`failed to create parent directories for ${path}: ${sftpReason(error)}`);
  });
}

async function localStat(path: string) {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`open ${path}: ${error.code === "ENOENT" ? "no such file or directory" : error.message}`);
  });
}
