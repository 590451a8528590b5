import type { Readable } from "node:stream";
import { posix } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Client, SFTPWrapper, Stats } from "ssh2";

/** SSH_FX_NO_SUCH_FILE */
const NO_SUCH_FILE = 2;
/** SSH_FX_* in the words of https://github.com/pkg/sftp */
const REASONS: Readonly<Record<number, string>> = { 2: "file does not exist", 3: "permission denied" };

/** A host's files. */
export class RemoteFiles {
  readonly #sftp: SFTPWrapper;
  private constructor(sftp: SFTPWrapper) {
    this.#sftp = sftp;
  }

  static open(client: Client): Promise<RemoteFiles> {
    return new Promise((resolve, reject) =>
      client.sftp((error, sftp) => (error ? reject(error) : resolve(new RemoteFiles(sftp)))),
    );
  }

  /** `undefined` when there is nothing. */
  async stat(path: string): Promise<Stats | undefined> {
    try {
      return await call<Stats>((done) => this.#sftp.stat(path, done));
    } catch (error) {
      if ((error as { code?: number }).code === NO_SUCH_FILE) return undefined;
      throw new Error(`failed to stat remote path ${path}: ${sftpReason(error)}`);
    }
  }

  async makeDirectory(path: string): Promise<void> {
    await call<void>((done) => this.#sftp.mkdir(path, done));
  }

  /** With every directory above it. */
  async makeDirectories(path: string): Promise<void> {
    const found = await call<Stats>((done) => this.#sftp.stat(path, done)).catch(() => undefined);
    if (found?.isDirectory()) return;
    if (found) throw Object.assign(new Error("not a directory"), { code: undefined });
    const parent = posix.dirname(path);
    if (parent !== path) await this.makeDirectories(parent);
    await this.makeDirectory(path);
  }

  /** Makes or overwrites a file. */
  async write(path: string, content: Readable): Promise<void> {
    const handle = await call<Buffer>((done) => this.#sftp.open(path, "w", done)).catch((error: unknown) => {
      throw new Error(`failed to create remote file ${path}: ${sftpReason(error)}`);
    });
    await pipeline(content, this.#sftp.createWriteStream(path, { handle } as never));
  }
}

/** What went wrong, in the official plugin's words. */
export function sftpReason(error: unknown): string {
  const { code, message } = error as { code?: number; message: string };
  return REASONS[code ?? -1] ?? `sftp: ${JSON.stringify(message)} (SSH_FX_FAILURE)`;
}

function call<T>(start: (done: (error: Error | undefined | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => start((error, value) => (error ? reject(error) : resolve(value))));
}
