import { randomUUID } from "node:crypto";
import { decode, encode, endOfPrefix, type EtcdClient } from "./client.ts";

interface Kv {
  readonly key: string;
  readonly value?: string;
  readonly mod_revision?: string;
}

/** Keys of one answer: about 100 KB. */
const pageSize = 1000;

/** The keys below a prefix of one etcd, through one endpoint. */
export class EtcdKeys {
  readonly #client: EtcdClient;
  readonly #endpoint: string;

  constructor(client: EtcdClient, endpoint: string) {
    this.#client = client;
    this.#endpoint = endpoint;
  }

  /** The value of a key. */
  async get(key: string): Promise<string | undefined> {
    const { kvs } = await this.#call<{ kvs?: Kv[] }>("kv/range", { key: encode(key) });
    return kvs?.[0] && decode(kvs[0].value ?? "");
  }

  /** Up to `limit` keys that begin with `prefix`. */
  async list(prefix: string, limit: number): Promise<string[]> {
    const range = { key: encode(prefix), rangeEnd: endOfPrefix(prefix), limit: String(limit), keysOnly: true };
    const { kvs } = await this.#call<{ kvs?: Kv[] }>("kv/range", range);
    return (kvs ?? []).map(({ key }) => decode(key));
  }

  /** Every key that begins with `prefix`, in order, a page at a time. */
  async *all(prefix: string): AsyncGenerator<string> {
    for (let from = prefix; ;) {
      const range = { key: encode(from), rangeEnd: endOfPrefix(prefix), limit: String(pageSize), keysOnly: true };
      const { kvs = [] } = await this.#call<{ kvs?: Kv[] }>("kv/range", range);
      const keys = kvs.map(({ key }) => decode(key));
      yield* keys;
      const last = keys.at(-1);
      if (last === undefined || keys.length < pageSize) return;
      from = `${last}\0`;
    }
  }

  /** The latest revision at which one of the keys that begin with `prefix` was written, "0" when there is none. */
  async lastWrite(prefix: string): Promise<string> {
    const range = { key: encode(prefix), rangeEnd: endOfPrefix(prefix), limit: "1", keysOnly: true };
    const { kvs } = await this.#call<{ kvs?: Kv[] }>("kv/range", { ...range, sortOrder: "DESCEND", sortTarget: "MOD" });
    return kvs?.[0]?.mod_revision ?? "0";
  }

  async delete(key: string): Promise<void> {
    await this.#call("kv/deleterange", { key: encode(key) });
  }

  /** Writes a key unless it exists. @returns whether it was written */
  putIfAbsent(key: string, value: string): Promise<boolean> {
    return this.#putIf({ key: encode(key), target: "CREATE", result: "EQUAL", createRevision: "0" }, key, value);
  }

  /** Writes a key that holds `expected`. @returns whether it was written */
  putIfHolds(key: string, expected: string, value: string): Promise<boolean> {
    return this.#putIf({ key: encode(key), target: "VALUE", result: "EQUAL", value: encode(expected) }, key, value);
  }

  async #putIf(condition: object, key: string, value: string): Promise<boolean> {
    const { succeeded } = await this.#call<{ succeeded?: boolean }>("kv/txn", {
      compare: [condition],
      success: [{ requestPut: { key: encode(key), value: encode(value) } }],
    });
    return succeeded ?? false;
  }

  /** Writes, reads and deletes a key of its own below `prefix`. */
  async probe(prefix: string): Promise<void> {
    const key = `${prefix}/karmada-pulumi/probe-${randomUUID()}`;
    await this.#call("kv/put", { key: encode(key), value: encode(key) });
    const value = await this.get(key);
    await this.delete(key);
    if (value !== key) throw new Error(`${this.#endpoint}: ${key} was written and is not there: it reads ${value}`);
  }

  #call<T>(method: string, body: object): Promise<T> {
    return this.#client.call<T>(this.#endpoint, method, body, 5000);
  }
}
