import { type FileHandle, open } from "node:fs/promises";

/**
 * A new file for its owner only. Pieces are written many at a time, while the next ones are gathered: on a busy machine
 * each handing over to the disk costs more than the writing.
 */
export class DurableFile {
  readonly #handle: FileHandle;
  #held: Buffer[] = [];
  #length = 0;
  #writing: Promise<void> = Promise.resolve();

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async open(path: string, flags: "w" | "wx"): Promise<DurableFile> {
    return new DurableFile(await open(path, flags, 0o600));
  }

  async add(piece: Buffer): Promise<void> {
    this.#held.push(piece);
    this.#length += piece.length;
    if (this.#length >= batchBytes) await this.#flush();
  }

  /** Returns once everything is on the disk. */
  async finish(): Promise<void> {
    await this.#flush();
    await this.#writing;
    await this.#handle.sync();
  }

  async close(): Promise<void> {
    await this.#writing.catch(() => {});
    await this.#handle.close();
  }

  async #flush(): Promise<void> {
    await this.#writing;
    const batch = this.#held;
    [this.#held, this.#length] = [[], 0];
    this.#writing = written(this.#handle, batch);
    this.#writing.catch(() => {}); // thrown by the next call
  }
}

const batchBytes = 4 * 2 ** 20;

/** Writes content into a new file, all of it. */
export async function writeDurably(path: string, flags: "w" | "wx", content: AsyncIterable<Buffer>): Promise<void> {
  const file = await DurableFile.open(path, flags);
  try {
    for await (const piece of content) await file.add(piece);
    await file.finish();
  } finally {
    await file.close();
  }
}

/** The system may write less than it is given, as just before the disk is full. */
async function written(handle: FileHandle, batch: Buffer[]): Promise<void> {
  if (batch.length === 0) return;
  const { bytesWritten } = await handle.writev(batch);
  const length = batch.reduce((sum, piece) => sum + piece.length, 0);
  if (bytesWritten < length) await written(handle, [Buffer.concat(batch).subarray(bytesWritten)]);
}
