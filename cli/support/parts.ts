import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf } from "../../lib/wait.ts";
import { redact } from "./redact.ts";

/** A file of a bundle. */
export interface Part {
  readonly path: string;
  readonly bytes: number;
}

/** What could not be had. */
export interface Lack {
  /** Path in the bundle that it would have had; that of a directory ends with a slash. */
  readonly path: string;
  readonly why: string;
}

/** Where a source puts what it finds. */
export interface Into {
  /** Writes a file, without what is secret in it; what is no text as JSON. */
  put(path: string, content: unknown): Promise<void>;
  /** Notes that something could not be had, and why. */
  lacks(path: string, error: unknown): void;
}

/** The files of a bundle while they are gathered in a directory. */
export class Parts implements Into {
  readonly present: Part[] = [];
  readonly lacking: Lack[] = [];
  readonly #directory: string;
  #isClosed = false;

  /** @param directory made when it is needed, below one that is its owner's only */
  constructor(directory: string) {
    this.#directory = directory;
  }

  async put(path: string, content: unknown): Promise<void> {
    if (this.#isClosed) return;
    const text = redact(typeof content === "string" ? content : `${JSON.stringify(content, undefined, 2)}\n`);
    const file = join(this.#directory, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { mode: 0o600 });
    this.present.push({ path, bytes: Buffer.byteLength(text) });
  }

  /** Takes nothing more: who is late must not make the directory anew when it is gone. */
  close(): void {
    this.#isClosed = true;
  }

  lacks(path: string, error: unknown): void {
    this.lacking.push({ path, why: redact(messageOf(error)).trim() });
  }
}

/** A name of somebody else's as that of a file. */
export const fileName = (name: string): string => name.replace(/[^\w.-]/g, "_").replace(/^\.+/, "_");
