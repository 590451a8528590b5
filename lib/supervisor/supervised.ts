import { rmSync } from "node:fs";
import { join } from "node:path";
import { readJson, writeAtomically } from "../atomic-file.ts";
import { Backoff } from "./backoff.ts";
import type { LastExit, ProcessDescription, ProcessStatus } from "./description.ts";
import { adopt, killRemains, launch, stop, type Instance, type RunningRecord } from "./instance.ts";
import type { Layout } from "./layout.ts";
import { Turns } from "./turns.ts";

/** One program that is kept running until it is removed. */
export class Supervised {
  #description: ProcessDescription;
  readonly #layout: Layout;
  readonly #log: (line: string) => void;
  readonly #mayStart: () => boolean;
  readonly #backoff = new Backoff();
  #instance: Instance | undefined;
  #crashes = 0;
  #lastExit: LastExit | undefined;
  #removed = false;
  /** Set while the program is being stopped on purpose: its end is no crash. */
  #asked = false;
  #endPause: (() => void) | undefined;
  readonly #turns = new Turns();

  constructor(description: ProcessDescription, layout: Layout, log: (line: string) => void, mayStart: () => boolean) {
    this.#description = description;
    this.#layout = layout;
    this.#log = (line) => log(`${description.name}: ${line}`);
    this.#mayStart = mayStart;
  }

  status(): ProcessStatus {
    const instance = this.#instance;
    return {
      description: this.#description,
      crashes: this.#crashes,
      quickExits: this.#backoff.quickExits,
      ...(this.#lastExit && { lastExit: this.#lastExit }),
      ...(instance && {
        running: { pid: instance.pid, revision: instance.revision, startedAt: instance.startedAt },
      }),
    };
  }

  /** It is not kept running any more, also where ending it failed. */
  get isRemoved(): boolean {
    return this.#removed;
  }

  /** Takes over what an earlier supervisor left running, or starts the program; then keeps it running. */
  begin(): Promise<void> {
    return this.#turns.take(async () => {
      await this.#start();
      void this.#keep();
    });
  }

  /** Makes this description the wanted one, of another revision at once; a program that waits for its next start is started. */
  apply(description: ProcessDescription): Promise<void> {
    return this.#turns.take(async () => {
      this.#description = description;
      if (this.#instance === undefined) return this.#startNow();
      if (this.#instance.revision !== description.revision) await this.#restart();
    });
  }

  /** Stops the program and starts it as it is wanted now. */
  restart(): Promise<void> {
    return this.#turns.take(() => (this.#instance === undefined ? this.#startNow() : this.#restart()));
  }

  /** Stops the program for good, with everything it started. */
  remove(stopSeconds: number): Promise<void> {
    return this.#turns.take(async () => {
      this.#removed = true;
      this.#endPause?.();
      await this.#stop(stopSeconds);
      rmSync(this.#record, { force: true });
      this.#log("removed");
    });
  }

  get #record(): string {
    return join(this.#layout.running, `${this.#description.name}.json`);
  }

  /** For ever: waits for the program to end, waits a little, starts it again. */
  async #keep(): Promise<void> {
    while (!this.#removed) {
      const instance = this.#instance;
      if (instance !== undefined) {
        const reason = await instance.exited;
        if (this.#instance === instance) this.#noteExit(instance, reason);
        // A stop on purpose goes on with a start, or was for good: what follows is that turn's business.
        if (this.#asked) await this.#turns.take(async () => {});
      } else {
        await this.#pause(this.#backoff.next(this.#lastExit?.ranForSeconds ?? 0));
        await this.#turns.take(async () => {
          if (!this.#removed && this.#instance === undefined) await this.#start();
        });
      }
    }
  }

  #noteExit(instance: Instance, reason: string): void {
    this.#instance = undefined;
    const ranForSeconds = (Date.now() - Date.parse(instance.startedAt)) / 1000;
    this.#lastExit = { reason, at: new Date().toISOString(), ranForSeconds, notStarted: false };
    if (!this.#asked) this.#crashes++;
    this.#log(`process ${instance.pid} ended after ${ranForSeconds.toFixed(1)}s: ${reason}`);
  }

  /** Does not throw: what failed is tried again like a program that has ended. */
  async #start(): Promise<void> {
    try {
      this.#instance = this.#adopt() ?? (await this.#launch());
    } catch (error) {
      const reason = `cannot start: ${(error as Error).message}`;
      this.#lastExit = { reason, at: new Date().toISOString(), ranForSeconds: 0, notStarted: true };
      this.#log(reason);
    }
  }

  #adopt(): Instance | undefined {
    const record = readJson<RunningRecord>(this.#record);
    const instance = record && adopt(record);
    if (instance !== undefined) this.#log(`adopted process ${instance.pid}`);
    return instance;
  }

  async #launch(): Promise<Instance> {
    if (!this.#mayStart()) throw new Error(`${this.#layout.directory} was moved or deleted`);
    // A start that was never noted down, or children of a program that has ended.
    await killRemains(this.#description.name, this.#layout.directory);
    const instance = await launch(this.#description, this.#layout.directory);
    await this.#noteStart(instance);
    this.#log(`started process ${instance.pid}`);
    return instance;
  }

  /** What cannot be noted down, as on a full disk, must not run on: the next start would be of a second one. */
  async #noteStart({ pid, start, revision, startedAt }: Instance): Promise<void> {
    try {
      writeAtomically(this.#record, JSON.stringify({ pid, start, revision, startedAt } satisfies RunningRecord));
    } catch (error) {
      await killRemains(this.#description.name, this.#layout.directory, [pid]);
      throw error;
    }
  }

  /** Starts a program that waits for its next start. */
  async #startNow(): Promise<void> {
    this.#backoff.reset();
    await this.#start();
    this.#endPause?.();
  }

  async #restart(): Promise<void> {
    await this.#stop();
    this.#backoff.reset();
    await this.#start();
  }

  async #stop(stopSeconds = this.#description.stopSeconds): Promise<void> {
    const instance = this.#instance;
    this.#asked = true;
    try {
      const { name } = this.#description;
      if (instance === undefined) await killRemains(name, this.#layout.directory);
      else {
        this.#log(`stopping process ${instance.pid}`);
        await stop(instance, stopSeconds, name, this.#layout.directory);
        if (this.#instance === instance) this.#noteExit(instance, "stopped");
      }
    } finally {
      this.#asked = false;
    }
  }

  #pause(seconds: number): Promise<void> {
    this.#log(`next start in ${seconds}s`);
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
