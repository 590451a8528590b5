import { setTimeout as sleep } from "node:timers/promises";
import { ApiSession } from "./api-session.ts";

const lanes = 4;
/** Longer than anything that is no error. */
const milliseconds = 10_000;

/** Reads at a rate, each time over the connections of four clients in turn, and counts what fails. Nothing is read again. */
export class Reader {
  readonly failures: string[] = [];
  count = 0;
  readonly #sessions: readonly ApiSession[];
  readonly #ended: Promise<unknown>;
  #stopped = false;

  constructor(kubeconfig: string, path: string, perSecond: number) {
    this.#sessions = Array.from({ length: lanes }, () => new ApiSession(kubeconfig));
    this.#ended = Promise.all(this.#sessions.map((session) => this.#run(session, path, (lanes * 1000) / perSecond)));
  }

  /** The part of all reads that failed. */
  get errorRate(): number {
    return this.failures.length / this.count;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
    for (const session of this.#sessions) session.drop();
  }

  async #run(session: ApiSession, path: string, pause: number): Promise<void> {
    while (!this.#stopped) {
      const begun = performance.now();
      await session.ask("GET", path, { milliseconds }).catch((error: Error) => this.failures.push(error.message));
      this.count++;
      await sleep(Math.max(1, pause - (performance.now() - begun)));
    }
  }
}
