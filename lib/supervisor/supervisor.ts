import { rmSync } from "node:fs";
import { join } from "node:path";
import { readJson, writeAtomically } from "../atomic-file.ts";
import type { ProcessDescription, ProcessStatus } from "./description.ts";
import { killRemains } from "./instance.ts";
import type { Layout } from "./layout.ts";
import { namesIn } from "./records.ts";
import { rotate } from "./rotation.ts";
import { Supervised } from "./supervised.ts";
import { Turns } from "./turns.ts";

/**
 * Keeps the programs of one deployment running. What shall run is on disk, one file per program: a supervisor that is
 * killed and started again knows it, finds its programs by process id and start time, and goes on.
 */
export class Supervisor {
  readonly #layout: Layout;
  readonly #log: (line: string) => void;
  readonly #mayStart: () => boolean;
  readonly #supervised = new Map<string, Supervised>();
  /** Programs whose descriptions the disk has lost: they are left as they are until they are described anew or removed. */
  readonly #lost = new Set<string>();
  /** By name: what is asked for while a program is being removed, after a Ctrl-C for instance, begins after that. */
  readonly #turns = new Map<string, Turns>();

  /** @param mayStart false once its directory is another's, or gone: then it starts nothing any more */
  constructor(layout: Layout, log: (line: string) => void, mayStart: () => boolean) {
    this.#layout = layout;
    this.#log = log;
    this.#mayStart = mayStart;
  }

  /** Takes up what is wanted according to the disk. A program for which this fails takes none of the others along. */
  async begin(): Promise<void> {
    const wanted = namesIn(this.#layout.wanted);
    const forgotten = namesIn(this.#layout.running).filter((name) => !wanted.includes(name));
    await Promise.all([
      ...forgotten.map((name) => this.#endForgotten(name)),
      ...wanted.flatMap((name) => this.#wanted(name) ?? []).map((description) => this.#begin(description)),
    ]);
  }

  get isEmpty(): boolean {
    return this.#supervised.size + this.#lost.size === 0;
  }

  statuses(): ProcessStatus[] {
    return [...this.#supervised.values()].map((supervised) => supervised.status());
  }

  /** Keeps a program running as described, from now on. */
  ensure(description: ProcessDescription): Promise<void> {
    return this.#inTurn(description.name, async () => {
      writeAtomically(this.#wantedFile(description.name), JSON.stringify(description, undefined, 2));
      this.#lost.delete(description.name);
      await (this.#kept(description.name)?.apply(description) ?? this.#begin(description));
    });
  }

  /** @throws when no such program is supervised. */
  restart(name: string): Promise<void> {
    return this.#inTurn(name, async () => {
      const supervised = this.#kept(name);
      if (supervised === undefined)
        throw new Error(`${name}: no such process is supervised in ${this.#layout.directory}`);
      await supervised.restart();
    });
  }

  /** Stops a program and forgets it. One that is not known may still have left processes. */
  remove(name: string, stopSeconds: number): Promise<void> {
    return this.#inTurn(name, async () => {
      rmSync(this.#wantedFile(name), { force: true });
      const supervised = this.#supervised.get(name);
      if (supervised === undefined) await killRemains(name, this.#layout.directory);
      else await supervised.remove(stopSeconds);
      this.#supervised.delete(name);
      this.#lost.delete(name);
    });
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

  #inTurn(name: string, work: () => Promise<void>): Promise<void> {
    const turns = this.#turns.get(name) ?? new Turns();
    this.#turns.set(name, turns);
    return turns.take(work);
  }

  /** A program that is kept running, which one whose removal failed is not. */
  #kept(name: string): Supervised | undefined {
    const supervised = this.#supervised.get(name);
    return supervised?.isRemoved ? undefined : supervised;
  }

  #begin(description: ProcessDescription): Promise<void> {
    const supervised = new Supervised(description, this.#layout, this.#log, this.#mayStart);
    this.#supervised.set(description.name, supervised);
    return supervised.begin();
  }

  #wanted(name: string): ProcessDescription | undefined {
    const path = this.#wantedFile(name);
    try {
      const description = readJson<ProcessDescription>(path);
      if (description !== undefined) return description;
      this.#log(`${name}: ${path} is damaged; an up writes it again`);
    } catch (error) {
      this.#log(`${name}: cannot be taken up: ${(error as Error).message}`);
    }
    this.#lost.add(name);
    return undefined;
  }

  /**
   * Ends a program that was removed from the disk while no supervisor ran: it must not outlive that. Where that fails its
   * record stays, for the next supervisor.
   */
  async #endForgotten(name: string): Promise<void> {
    try {
      await killRemains(name, this.#layout.directory);
      rmSync(join(this.#layout.running, `${name}.json`), { force: true });
      this.#log(`${name}: ended, as it is not wanted any more`);
    } catch (error) {
      this.#log(`${name}: not wanted any more, and cannot be ended: ${(error as Error).message}`);
    }
  }

  #wantedFile(name: string): string {
    return join(this.#layout.wanted, `${name}.json`);
  }
}
