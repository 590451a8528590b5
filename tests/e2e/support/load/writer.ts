import { setTimeout as sleep } from "node:timers/promises";
import { ApiSession } from "./api-session.ts";
import { objects } from "./objects.ts";
import { Silence } from "./silence.ts";

const lanes = 4;

/** Makes objects, each once, at a rate; remembers which of them the API server said it had. */
export class Writer {
  readonly acknowledged = new Set<string>();
  readonly silence = new Silence();
  readonly #session: ApiSession;
  readonly #pause: number;
  readonly #ended: Promise<unknown>;
  #stopped = false;
  #next = 0;

  constructor(kubeconfig: string, perSecond: number) {
    this.#session = new ApiSession(kubeconfig);
    this.#pause = (lanes * 1000) / perSecond;
    this.#ended = Promise.all(Array.from({ length: lanes }, (_, lane) => this.#run(lane)));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
    this.#session.drop();
  }

  async #run(lane: number): Promise<void> {
    await sleep((lane * this.#pause) / lanes);
    while (!this.#stopped) {
      const begun = performance.now();
      const name = objects.name(this.#next++);
      try {
        await this.#session.ask("POST", objects.path, { body: objects.body(name) });
        this.acknowledged.add(name);
        this.silence.end();
      } catch {
        // Whether that one was written is not known.
      }
      await sleep(Math.max(10, this.#pause - (performance.now() - begun)));
    }
  }
}
