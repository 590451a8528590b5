import type { Log, Severity } from "../../server/index.ts";

/** Messages beside a resource while it is waited for; each is shown once. */
export class StatusLog {
  readonly #log: Log;
  readonly #shown = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  show(severity: Severity, message: string): void {
    const key = `${severity} ${message}`;
    if (this.#shown.has(key)) return;
    this.#shown.add(key);
    this.#log(severity, message, { status: true });
  }

  /** Takes the last message off the screen. */
  clear(): void {
    if (this.#shown.size > 0) this.#log("info", "", { status: true });
  }
}
