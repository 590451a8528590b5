import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { sha256, sha256OfFile, writeAtomically } from "../supervisor/atomic-file.ts";
import { metricsText } from "./metrics.ts";
import { messageOf } from "../wait.ts";
import type { BackupSettings } from "./settings.ts";
import { type BackupStatus, readStatus } from "./status.ts";

/** Where the status is, in a backup program's directory. */
export const statusPath = (directory: string): string => join(directory, "status.json");

/** The status of a deployment's backups, kept over restarts of the program that writes it. */
export class StatusFile {
  readonly #settings: BackupSettings;
  readonly #log: (line: string) => void;
  #status: BackupStatus;
  /** Of the file as it was last taken over or written. */
  #digest: string | undefined;
  readonly #said = new Map<string, string>();

  constructor(settings: BackupSettings, now: Date, log: (line: string) => void) {
    this.#settings = settings;
    this.#log = log;
    const { deployment, schedule, directory } = settings;
    const before = readStatus(statusPath(directory));
    const fresh: BackupStatus = { format: 1, deployment, schedule, since: now.toISOString(), targets: [] };
    const { run, ...known } = before?.deployment === deployment ? before : fresh;
    // What failed is tried again at once: somebody may have mended it and started the program again.
    this.#status = { ...known, schedule, ...(run !== undefined && run.error === undefined && { run }) };
    this.#write(now);
  }

  get value(): BackupStatus {
    return this.#status;
  }

  /**
   * Takes over what another one has written: an operator's `--once` does beside the program that stays. What this one could
   * not write, as on a full disk, is older there than what it knows.
   */
  reread(): void {
    const { deployment, schedule, directory } = this.#settings;
    const path = statusPath(directory);
    const digest = sha256OfFile(path);
    if (digest === this.#digest) return;
    this.#digest = digest;
    const found = readStatus(path);
    if (found?.deployment === deployment) this.#status = { ...found, schedule };
  }

  update(change: Partial<BackupStatus>): void {
    this.reread();
    this.#status = { ...this.#status, ...change };
    this.#write(new Date());
  }

  /** Writes it again: the age in the metrics is that of the moment of writing. */
  write(now: Date): void {
    this.reread();
    this.#write(now);
  }

  #write(now: Date): void {
    const { directory, metricsFile } = this.#settings;
    const metrics = metricsText(this.#status, now);
    const status = `${JSON.stringify(this.#status, null, 2)}\n`;
    if (this.#keep(statusPath(directory), status)) this.#digest = sha256(status);
    this.#keep(join(directory, "karmada-etcd-backup.prom"), metrics);
    if (metricsFile !== undefined) this.#keep(metricsFile, metrics, 0o644);
  }

  /** Neither a full disk nor somebody else's directory must be in the way of a backup: whoever asks is answered all the same. */
  #keep(path: string, text: string, mode?: number): boolean {
    try {
      write(path, text, mode);
      this.#said.delete(path);
      return true;
    } catch (error) {
      const problem = `${path}: writing the status: ${messageOf(error)}`;
      if (problem !== this.#said.get(path)) this.#log(problem);
      this.#said.set(path, problem);
      return false;
    }
  }
}

/** In a directory of others no file can be made beside one that is ours: that one is written over. */
function write(path: string, text: string, mode: number | undefined): void {
  try {
    writeAtomically(path, text, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES" || !existsSync(path)) throw error;
    overwrite(path, text);
  }
}

/** Whoever reads it meanwhile finds empty lines behind it, and nothing of what it was. */
function overwrite(path: string, text: string): void {
  const file = openSync(path, "r+");
  try {
    writeSync(file, text.padEnd(fstatSync(file).size, "\n"), 0);
    ftruncateSync(file, Buffer.byteLength(text));
  } finally {
    closeSync(file);
  }
}
