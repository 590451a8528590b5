import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { writeAtomically } from "../atomic-file.ts";
import { sha256, sha256OfFile } from "../sha256.ts";
import { metricsText } from "./metrics.ts";
import { messageOf } from "../wait.ts";
import type { BackupSettings } from "./settings.ts";
import { type BackupStatus, readStatus } from "./status.ts";

/** Where the status is, in a backup program's directory. */
const statusPath = (directory: string): string => join(directory, "status.json");

/** The status of a deployment's backups, kept over restarts of the program that writes it. */
export class StatusFile {
  readonly #settings: BackupSettings;
  readonly #log: (line: string) => void;
  #status: BackupStatus;
  /** SHA-256 of the file as it was last taken over or written. */
  #digest: string | undefined;
  readonly #said = new Map<string, string>();

  constructor(settings: BackupSettings, now: Date, log: (line: string) => void) {
    this.#settings = settings;
    this.#log = log;
    const { deployment, schedule, directory } = settings;
    const before = readStatus(statusPath(directory));
    const fresh: BackupStatus = { format: 1, deployment, schedule, since: now.toISOString(), targets: [] };
    const { run, ...known } = before?.deployment === deployment ? before : fresh;
    // What failed is retried at once: somebody may have fixed it and restarted the program.
    this.#status = { ...known, schedule, ...(run !== undefined && run.error === undefined && { run }) };
    this.#write(now);
  }

  get value(): BackupStatus {
    return this.#status;
  }

  /**
   * Takes over what another program wrote, such as an operator's `--once` beside the resident one. If this one could
   * not write, as on a full disk, the file is older than what it knows.
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

  /** Writes it again: the age in the metrics is as of the time of writing. */
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

  /**
   * Neither a full disk nor somebody else's directory may get in the way of a backup: requests are answered all the
   * same.
   */
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

/** In somebody else's directory no file can be made beside ours, so ours is overwritten in place. */
function write(path: string, text: string, mode: number | undefined): void {
  try {
    writeAtomically(path, text, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES" || !existsSync(path)) throw error;
    overwrite(path, text);
  }
}

/** A concurrent reader finds blank lines after the text, and no remnant of the old text. */
function overwrite(path: string, text: string): void {
  const file = openSync(path, "r+");
  try {
    writeSync(file, text.padEnd(fstatSync(file).size, "\n"), 0);
    ftruncateSync(file, Buffer.byteLength(text));
  } finally {
    closeSync(file);
  }
}
