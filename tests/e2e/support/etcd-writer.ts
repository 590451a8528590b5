import { encode, type EtcdClient } from "../../../lib/etcd/client.ts";

const pauseMilliseconds = 50;
const timeoutMilliseconds = 1000;

/** Writes twenty keys a second, each once, through whatever endpoint answers, and remembers what was acknowledged. */
export class Writer {
  static readonly prefix = "/written/";
  readonly #client: EtcdClient;
  readonly #endpoints: readonly string[];
  readonly #acknowledged: { readonly key: string; readonly at: number }[] = [];
  readonly #ended: Promise<void>;
  #stopped = false;
  #since = 0;

  constructor(client: EtcdClient, endpoints: readonly string[]) {
    this.#client = client;
    this.#endpoints = endpoints;
    this.#ended = this.#run();
  }

  /** From now on counts for {@link longestGap}. */
  beginPeriod(): void {
    this.#since = performance.now();
  }

  /** Milliseconds. */
  longestGap(): number {
    const moments = [this.#since, ...this.#acknowledged.map(({ at }) => at), performance.now()];
    const counted = moments.filter((at) => at >= this.#since);
    return Math.round(Math.max(...counted.slice(1).map((at, i) => at - (counted[i] ?? at))));
  }

  /** @returns every key whose write was acknowledged */
  async stop(): Promise<string[]> {
    this.#stopped = true;
    await this.#ended;
    return this.#acknowledged.map(({ key }) => key);
  }

  async #run(): Promise<void> {
    let at = 0;
    for (let i = 0; !this.#stopped; i++) {
      const key = `${Writer.prefix}${i}`;
      try {
        const body = { key: encode(key), value: encode(String(i)) };
        await this.#client.call(this.#endpoints[at] ?? "", "kv/put", body, timeoutMilliseconds);
        this.#acknowledged.push({ key, at: performance.now() });
        await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
      } catch {
        // Whether that one was written is not known; the next key goes to the next member.
        at = (at + 1) % this.#endpoints.length;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
  }
}
