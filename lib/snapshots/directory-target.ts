import { existsSync } from "node:fs";
import {
  chown,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  statfs,
  writeFile,
} from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import type { Readable } from "node:stream";
import { mebibytes } from "../size.ts";
import { saying } from "./directory-error.ts";
import { writeDurably } from "./durable-file.ts";
import { writeAtomically } from "../atomic-file.ts";
import { abandoned, listingOf, look, type Files } from "./listing.ts";
import { filesOf, idOfFile, type Manifest, manifestFile, manifestText, unfinishedFile } from "./manifest.ts";
import { type SnapshotTarget, TargetError } from "./target.ts";

export interface DirectoryOptions {
  /** The directory of one deployment's snapshots. */
  readonly directory: string;
  /** Directories it must not be in, because their contents would be lost together with it. */
  readonly apartFrom?: readonly string[];
  /** Number of the user and group to whom all of it belongs. @default the user that runs this */
  readonly owner?: number;
  /** Checks before every use that the file system is the wanted one. */
  readonly mounted?: () => Promise<void>;
}

/** A directory, for its owner only. Data appear under their name once they are on the disk. */
export class DirectoryTarget implements SnapshotTarget {
  readonly uri: string;
  readonly name: string;
  readonly #directory: string;
  readonly #apartFrom: readonly string[];
  readonly #owner: number | undefined;
  readonly #mounted: () => Promise<void>;

  constructor({ directory, apartFrom = [], owner, mounted = async () => {} }: DirectoryOptions) {
    this.#directory = resolve(directory);
    this.uri = `file://${this.#directory}`;
    this.name = this.uri;
    this.#apartFrom = apartFrom;
    this.#owner = owner;
    this.#mounted = mounted;
  }

  async prepare(bytes: number): Promise<void> {
    await this.#refuseUnfit();
    await this.#saying("making the directory", async () => {
      await this.#mounted();
      const made = await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      if (made !== undefined) await this.#giveMade();
      await this.#sweep();
      await this.#probe();
    });
    const { bavail, bsize } = await this.#saying("asking for room", () => statfs(this.#directory));
    const free = bavail * bsize;
    if (free >= bytes) return;
    throw new TargetError(
      "full",
      `${this.uri}: ${mebibytes(free, Math.floor)} are free, the snapshot needs ${mebibytes(bytes)}`,
    );
  }

  async put(file: string, content: AsyncIterable<Buffer>): Promise<void> {
    const part = this.#at(`${file}${partial}`);
    const unfinished = this.#at(unfinishedFile(idOfFile(file)));
    await this.#saying(`writing ${file}`, async () => {
      await this.#mounted();
      try {
        await writeFile(unfinished, "", { mode: 0o600 });
        await writeDurably(part, "wx", content);
        await this.#give(part);
        await rename(part, this.#at(file));
        await syncDirectory(this.#directory);
      } catch (error) {
        for (const path of [part, unfinished]) await rm(path, { force: true }).catch(() => {});
        throw error;
      }
    });
  }

  async commit(manifest: Manifest): Promise<void> {
    await this.#saying(`writing the manifest of ${manifest.id}`, async () => {
      await this.#mounted();
      writeAtomically(this.#at(manifestFile(manifest.id)), manifestText(manifest), 0o600, { flush: true });
      await this.#give(this.#at(manifestFile(manifest.id)));
      await rm(this.#at(unfinishedFile(manifest.id)), { force: true });
      await syncDirectory(this.#directory);
    });
  }

  async get(file: string): Promise<Readable> {
    return this.#saying(`reading ${file}`, async () => {
      await this.#mounted();
      const handle: FileHandle = await open(this.#at(file), "r");
      return handle.createReadStream({ highWaterMark: 2 ** 20 });
    });
  }

  async list() {
    return this.#saying("listing", async () => listingOf(await this.#files()));
  }

  async head(id: string) {
    return this.#saying(`looking for ${id}`, async () => look(id, await this.#files()));
  }

  async remove(id: string): Promise<void> {
    await this.#saying(`removing ${id}`, async () => {
      await this.#mounted();
      if (!existsSync(this.#directory)) return;
      for (const file of filesOf(id)) {
        await rm(this.#at(file), { force: true });
        await rm(this.#at(`${file}${partial}`), { force: true });
      }
      await syncDirectory(this.#directory);
    });
  }

  path(file: string): string {
    return this.#at(file);
  }

  close(): void {}

  #at(file: string): string {
    return join(this.#directory, file);
  }

  async #files(): Promise<Files> {
    await this.#mounted();
    const names = await readdir(this.#directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
    const there = await Promise.all(
      names.map(async (name) => {
        const { size = 0, mtimeMs = Date.now() } = (await stat(this.#at(name)).catch(() => undefined)) ?? {};
        return [name, { bytes: size, writtenAt: mtimeMs }] as const;
      }),
    );
    const text = (file: string) => this.#saying(`reading ${file}`, () => readFile(this.#at(file), "utf8"));
    return { there: new Map(there), text };
  }

  /** Removes what a killed run did not finish. */
  async #sweep(): Promise<void> {
    const files = await this.#files();
    for (const id of abandoned(files)) {
      if (files.there.has(manifestFile(id))) await rm(this.#at(unfinishedFile(id)), { force: true });
      else await this.remove(id);
    }
  }

  /** Not left to a user whose directory the owner could not use. */
  async #giveMade(): Promise<void> {
    try {
      await this.#give(this.#directory);
    } catch (error) {
      await rmdir(this.#directory).catch(() => {});
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EPERM") throw error;
      throw new TargetError(
        "denied",
        `${this.uri}: it is for user ${this.#owner} alone, and this user may not make it for another one\nhave user ${this.#owner} make it first, or run this as root`,
        { cause: error },
      );
    }
  }

  async #give(path: string): Promise<void> {
    if (this.#owner !== undefined && this.#owner !== process.getuid?.()) await chown(path, this.#owner, this.#owner);
  }

  async #probe(): Promise<void> {
    const path = this.#at(`.probe-${process.pid}`);
    const handle = await open(path, "w", 0o600);
    try {
      await handle.writeFile("probe");
      await handle.sync();
    } finally {
      await handle.close();
      await rm(path, { force: true });
    }
  }

  async #refuseUnfit(): Promise<void> {
    const real = await realPathOf(this.#directory);
    for (const other of this.#apartFrom) {
      const forbidden = await realPathOf(other);
      if (real !== forbidden && !real.startsWith(forbidden + sep)) continue;
      throw new TargetError(
        "unfit",
        `${this.uri}: it is inside ${other}, which holds the data themselves: both would be lost together\nchoose a directory on another disk`,
      );
    }
  }

  #saying<T>(doing: string, work: () => Promise<T>): Promise<T> {
    return saying(`${this.uri}: ${doing}`, work);
  }
}

const partial = ".part";

/** The real path, as far as it exists. */
async function realPathOf(path: string): Promise<string> {
  const absolute = resolve(path);
  try {
    return await realpath(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(await realPathOf(parent), absolute.slice(parent.length));
  }
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
