import https from "node:https";
import { availableParallelism, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { decode, encode, endOfPrefix, EtcdClient, type EtcdConnection } from "../../lib/etcd/client.ts";
import { messageOf } from "../../lib/wait.ts";

const prefix = "/load/";
const keyOf = (n: number) => `${prefix}${String(n).padStart(8, "0")}`;

/**
 * A machine with more to do than it has processors makes everybody wait that much longer, and more so what is several steps
 * of several programs, each of which waits.
 */
export const slack = () => Math.max(1, (loadavg()[0] ?? 0) / availableParallelism()) ** 2;

/** Longest time that writes may wait, in milliseconds: when we do something, and when a leader is lost. */
export const longest = { planned: () => 500 * slack(), election: () => 2500 * slack() };

/** What clients of a cluster went through. */
export interface LoadReport {
  /** Writes that were acknowledged, and those of them that cannot be read any more. */
  readonly acknowledged: number;
  readonly lost: number;
  /** Longest time without an acknowledgement, in milliseconds, and when it ended. */
  readonly longestGap: number;
  /** Watches that did not bring every acknowledged write. */
  readonly silent: number;
}

/**
 * Clients of a cluster whose members come and go: 20 writes a second, each of a key of its own, made through one member
 * until it fails and then through the next, and 20 watches that must bring every one of them.
 */
export class EtcdLoad {
  readonly #connection: EtcdConnection;
  readonly #endpoints: readonly string[];
  readonly #client: EtcdClient;
  readonly #acknowledged = new Map<number, number>();
  readonly #watches: Watch[];
  readonly #pending = new Set<Promise<void>>();
  #gaps: { from: number; longest: number } = { from: performance.now(), longest: 0 };
  #next = 0;
  #turn = 0;
  #ended = false;

  /** @param endpoints of all members there will ever be; those that are not there are passed over */
  constructor(connection: EtcdConnection, endpoints: readonly string[]) {
    this.#connection = connection;
    this.#endpoints = endpoints;
    this.#client = new EtcdClient(connection);
    this.#watches = Array.from({ length: 20 }, (_, i) => new Watch(connection, endpoints, i));
  }

  async start(): Promise<void> {
    for (const watch of this.#watches) void watch.run();
    this.#gaps = { from: performance.now(), longest: 0 };
    void this.#write();
  }

  /** The longest gap since this was last asked, in milliseconds; one that is going on counts. */
  takeGap(): number {
    const longest = Math.max(this.#gaps.longest, performance.now() - this.#gaps.from);
    this.#gaps = { ...this.#gaps, longest: 0 };
    return Math.round(longest);
  }

  /** Ends the writing, gives the watches time to bring what is left, and counts. */
  async stop(): Promise<LoadReport> {
    const longestGap = this.takeGap();
    this.#ended = true;
    await Promise.all(this.#pending);
    const expected = [...this.#acknowledged.keys()];
    const missing = () => this.#watches.filter((watch) => expected.some((n) => !watch.seen.has(n)));
    for (let i = 0; i < 100 && missing().length > 0; i++) await sleep(100);
    const silent = missing().length;
    for (const watch of this.#watches) watch.stop();
    const stored = await this.#stored();
    const lost = expected.filter((n) => !stored.has(n)).length;
    this.#client.close();
    return { acknowledged: expected.length, lost, longestGap, silent };
  }

  async #write(): Promise<void> {
    while (!this.#ended) {
      const put = this.#put(this.#next++);
      this.#pending.add(put);
      void put.finally(() => this.#pending.delete(put));
      await sleep(50);
    }
  }

  async #put(n: number): Promise<void> {
    const body = { key: encode(keyOf(n)), value: encode(String(n)) };
    for (;;) {
      const turn = this.#turn;
      try {
        await this.#client.call(this.#endpoints[turn % this.#endpoints.length] ?? "", "kv/put", body, 1000);
        break;
      } catch {
        if (this.#ended) return;
        // Whoever finds first that a member does not answer moves all to the next one.
        if (this.#turn === turn) this.#turn++;
        await sleep(5);
      }
    }
    const now = performance.now();
    this.#acknowledged.set(n, now);
    this.#gaps = { from: now, longest: Math.max(this.#gaps.longest, now - this.#gaps.from) };
  }

  async #stored(): Promise<Set<number>> {
    const range = { key: encode(prefix), rangeEnd: endOfPrefix(prefix) };
    const refusals: string[] = [];
    for (let turn = 0; turn < 3 * this.#endpoints.length; turn++) {
      const endpoint = this.#endpoints[turn % this.#endpoints.length] ?? "";
      const ask = this.#client.call<{ kvs?: { key: string; value: string }[] }>(endpoint, "kv/range", range, 10_000);
      const answer = await ask.catch((error: unknown) => refusals.push(messageOf(error)));
      if (typeof answer === "number") continue;
      const right = (answer.kvs ?? []).filter(({ key, value }) => decode(key) === keyOf(Number(decode(value))));
      return new Set(right.map(({ value }) => Number(decode(value))));
    }
    throw new Error(`nobody answers any more: ${refusals.join("; ")}`);
  }
}

/** One watch that goes on with another member, from the revision after the last it saw, when its stream ends. */
class Watch {
  readonly seen = new Set<number>();
  readonly #agent: https.Agent;
  readonly #endpoints: readonly string[];
  #turn: number;
  #revision = 1n;
  #ended = false;

  constructor({ ca, certificate: cert, key }: EtcdConnection, endpoints: readonly string[], turn: number) {
    this.#agent = new https.Agent({ keepAlive: true, ca, cert, key });
    this.#endpoints = endpoints;
    this.#turn = turn;
  }

  async run(): Promise<void> {
    while (!this.#ended) {
      await this.#stream().catch(() => {});
      this.#turn++;
      await sleep(50);
    }
  }

  stop(): void {
    this.#ended = true;
    this.#agent.destroy();
  }

  #stream(): Promise<void> {
    const endpoint = this.#endpoints[this.#turn % this.#endpoints.length] ?? "";
    const create = { key: encode(prefix), rangeEnd: endOfPrefix(prefix), startRevision: String(this.#revision) };
    return new Promise((resolve, reject) => {
      const request = https.request(`${endpoint}/v3/watch`, { method: "POST", agent: this.#agent }, (response) => {
        let rest = "";
        response.on("data", (chunk: Buffer) => {
          const lines = (rest + chunk.toString()).split("\n");
          rest = lines.pop() ?? "";
          if (lines.some((line) => !this.#take(line))) request.destroy();
        });
        response.once("error", reject);
        response.once("close", resolve);
      });
      request.once("error", reject);
      request.end(JSON.stringify({ createRequest: create }));
    });
  }

  /** @returns false when the stream is of no use any more */
  #take(line: string): boolean {
    const { result, error } = JSON.parse(line) as { result?: Answer; error?: unknown };
    if (result === undefined || error !== undefined || result.canceled) return false;
    for (const { kv } of result.events ?? []) {
      this.seen.add(Number(decode(kv.value ?? "")));
      const after = BigInt(kv.mod_revision) + 1n;
      if (after > this.#revision) this.#revision = after;
    }
    return true;
  }
}

interface Answer {
  readonly canceled?: boolean;
  readonly events?: { readonly kv: { readonly value?: string; readonly mod_revision: string } }[];
}
