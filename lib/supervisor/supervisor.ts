import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readJson, writeAtomically } from "./atomic-file.ts";
import type { ProcessDescription, ProcessStatus } from "./description.ts";
import { killRemains } from "./instance.ts";
import type { Layout } from "./layout.ts";
import { rotate } from "./rotation.ts";
import { Supervised } from "./supervised.ts";

/**
 * Keeps the programs of one deployment running. What shall run is on disk, one file per program: a supervisor that is
 * killed and started again knows it, finds its programs by process id and start time, and goes on.
 */
export class Supervisor {
  readonly #layout: Layout;
  readonly #log: (line: string) => void;
  readonly #supervised = new Map<string, Supervised>();

  constructor(layout: Layout, log: (line: string) => void) {
    this.#layout = layout;
    this.#log = log;
  }

  /** Takes up what is wanted according to the disk. */
  async begin(): Promise<void> {
    const descriptions = readdirSync(this.#layout.wanted)
      .filter((file) => file.endsWith(".json"))
      .flatMap((file) => readJson<ProcessDescription>(join(this.#layout.wanted, file)) ?? []);
    await this.#endForgotten(new Set(descriptions.map(({ name }) => name)));
    await Promise.all(descriptions.map((description) => this.#begin(description)));
  }

  get isEmpty(): boolean {
    return this.#supervised.size === 0;
  }

  statuses(): ProcessStatus[] {
    return [...this.#supervised.values()].map((supervised) => supervised.status());
  }

  /** Keeps a program running as described, from now on. */
  async ensure(description: ProcessDescription): Promise<void> {
    writeAtomically(this.#wantedFile(description.name), JSON.stringify(description, undefined, 2));
    const supervised = this.#supervised.get(description.name);
    await (supervised === undefined ? this.#begin(description) : supervised.apply(description));
  }

  /** @throws when no such program is supervised. */
  async restart(name: string): Promise<void> {
    const supervised = this.#supervised.get(name);
    if (supervised === undefined)
      throw new Error(`${name}: no such process is supervised in ${this.#layout.directory}`);
    await supervised.restart();
  }

  /** Stops a program and forgets it. One that is not known may still have left processes. */
  async remove(name: string, stopSeconds: number): Promise<void> {
    rmSync(this.#wantedFile(name), { force: true });
    const supervised = this.#supervised.get(name);
    if (supervised === undefined) return killRemains(name, this.#layout.directory);
    await supervised.remove(stopSeconds);
    this.#supervised.delete(name);
  }

  /** Rotates the logs that have grown too long. */
  rotateLogs(): void {
    for (const log of [this.#layout.log, ...this.statuses().map(({ description }) => description.log)]) {
      try {
        rotate(log);
      } catch (error) {
        this.#log(`${log}: cannot be rotated: ${(error as Error).message}`);
      }
    }
  }

  #begin(description: ProcessDescription): Promise<void> {
    const supervised = new Supervised(description, this.#layout, this.#log);
    this.#supervised.set(description.name, supervised);
    return supervised.begin();
  }

  /** Programs that were removed from the disk while no supervisor ran must not outlive that. */
  async #endForgotten(wanted: ReadonlySet<string>): Promise<void> {
    const names = readdirSync(this.#layout.running).map((file) => file.replace(/\.json$/, ""));
    for (const name of names.filter((name) => !wanted.has(name))) {
      await killRemains(name, this.#layout.directory);
      rmSync(join(this.#layout.running, `${name}.json`), { force: true });
      this.#log(`${name}: ended, as it is not wanted any more`);
    }
  }

  #wantedFile(name: string): string {
    return join(this.#layout.wanted, `${name}.json`);
  }
}
