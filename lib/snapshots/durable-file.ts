import { type FileHandle, open } from "node:fs/promises";

const batchBytes = 4 * 2 ** 20;

/**
 * A new file for its owner only. Pieces are gathered in one buffer while the other one is written: on a busy machine
 * each write call costs more than the writing itself.
 */
export class DurableFile {
  readonly #handle: FileHandle;
  #filling = Buffer.allocUnsafeSlow(batchBytes);
  #other = Buffer.allocUnsafeSlow(batchBytes);
  #length = 0;
  #writing: Promise<void> = Promise.resolve();

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async open(path: string, flags: "w" | "wx"): Promise<DurableFile> {
    return new DurableFile(await open(path, flags, 0o600));
  }

  /** Takes a copy of it. */
  async add(piece: Buffer): Promise<void> {
    for (let at = 0; at < piece.length;) {
      const taken = piece.copy(this.#filling, this.#length, at);
      at += taken;
      this.#length += taken;
      if (this.#length === batchBytes) await this.#flush();
    }
  }

  /** Returns once the system has everything, so that it can be read. */
  async written(): Promise<void> {
    await this.#flush();
    await this.#writing;
  }

  /** Returns once everything is on the disk. */
  async finish(): Promise<void> {
    await this.written();
    await this.#handle.sync();
  }

  async close(): Promise<void> {
    await this.#writing.catch(() => {});
    await this.#handle.close();
  }

  async #flush(): Promise<void> {
    await this.#writing;
    const batch = this.#filling.subarray(0, this.#length);
    [this.#filling, this.#other, this.#length] = [this.#other, this.#filling, 0];
    this.#writing = written(this.#handle, batch);
    this.#writing.catch(() => {}); // thrown by the next call
  }
}

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

/** The system may write less than it is given, as when the disk is about to be full. */
async function written(handle: FileHandle, batch: Buffer): Promise<void> {
  for (let at = 0; at < batch.length;) at += (await handle.write(batch, at)).bytesWritten;
}
