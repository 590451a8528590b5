import { setTimeout as sleep } from "node:timers/promises";
import { ApiSession } from "./api-session.ts";

const lanes = 4;
/** Longer than anything that is no error. */
const milliseconds = 10_000;

/** What is asked again and again. */
export interface Asked {
  readonly path: string;
  /** What is posted. @default it is read */
  readonly body?: object;
  /** Whether each time by a connection of its own, as kubectl does. @default false */
  readonly anew?: boolean;
}

/** Asks the same at a rate, as four clients in turn, and counts what fails. Nothing is asked again because it failed (see {@link ApiSession}). */
export class Caller {
  readonly failures: string[] = [];
  count = 0;
  readonly #sessions: readonly ApiSession[];
  readonly #ended: Promise<unknown>;
  #stopped = false;

  constructor(kubeconfig: string, asked: Asked, perSecond: number) {
    this.#sessions = Array.from({ length: lanes }, () => new ApiSession(kubeconfig, milliseconds));
    this.#ended = Promise.all(this.#sessions.map((session) => this.#run(session, asked, (lanes * 1000) / perSecond)));
  }

  /** The part of all calls that failed. */
  get errorRate(): number {
    return this.failures.length / this.count;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
    for (const session of this.#sessions) session.drop();
  }

  async #run(session: ApiSession, { path, body, anew = false }: Asked, pause: number): Promise<void> {
    const question = { milliseconds, ...(body && { body }) };
    while (!this.#stopped) {
      const begun = performance.now();
      await session
        .ask(body === undefined ? "GET" : "POST", path, question)
        .catch((error: Error) => this.failures.push(error.message));
      this.count++;
      if (anew) session.drop();
      await sleep(Math.max(1, pause - (performance.now() - begun)));
    }
  }
}
