import type { KubeClient } from "../../lib/kube/client.ts";
import { KubeError } from "../../lib/kube/error.ts";

type Verb = "find" | "get" | "delete" | "merge" | "apply" | "create";

/**
 * Stands for an API server that fails the first time it is asked for something, as one does whose etcd has just lost a member:
 * no real one can be made to be that at a given request.
 */
export class Unsteady {
  /** What it did, without what failed. */
  readonly done: string[] = [];
  readonly #asked = new Set<string>();
  readonly #answers: (verb: Verb, path: string) => unknown;

  constructor(answers: (verb: Verb, path: string) => unknown) {
    this.#answers = answers;
  }

  get client(): KubeClient {
    const verbs: Verb[] = ["find", "get", "delete", "merge", "apply", "create"];
    const calls = verbs.map((verb) => [verb, (path: string) => this.#answer(verb, path)] as const);
    return Object.fromEntries(calls) as unknown as KubeClient;
  }

  async #answer(verb: Verb, path: string): Promise<unknown> {
    const call = `${verb} ${path}`;
    if (!this.#asked.has(call)) {
      this.#asked.add(call);
      throw new KubeError(verb.toUpperCase(), path, 500, "rpc error: code = Unavailable");
    }
    this.done.push(call);
    return this.#answers(verb, path);
  }
}
