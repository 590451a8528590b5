import type { KubeObject } from "../../../../lib/kube/client.ts";
import { deadlineIn, waitFor } from "../../../../lib/wait.ts";
import { ApiSession } from "./api-session.ts";
import { objects } from "./objects.ts";
import { Watch } from "./watch.ts";
import { Writer } from "./writer.ts";

/** The longest silences while something was done, in seconds. */
export interface Silences {
  readonly writes: number;
  /** Of the watch that was worst off. */
  readonly watches: number;
}

/** Twenty watches and twenty writes a second through one address, whatever is done to what is behind it. */
export class Load {
  readonly #kubeconfig: string;
  readonly #writer: Writer;
  readonly #watches: readonly Watch[];

  private constructor(kubeconfig: string) {
    this.#kubeconfig = kubeconfig;
    this.#writer = new Writer(kubeconfig, 20);
    this.#watches = Array.from({ length: 20 }, () => new Watch(kubeconfig));
  }

  /** Returns once every watch has heard of a write. */
  static async start(kubeconfig: string): Promise<Load> {
    const load = new Load(kubeconfig);
    await load.#goesOn();
    return load;
  }

  /** Silences from the beginning of `work` until writes go on and every watch hears of them, once it is done. */
  async during(work: () => Promise<unknown>): Promise<Silences> {
    const all = [this.#writer.silence, ...this.#watches.map(({ silence }) => silence)];
    for (const silence of all) silence.begin();
    await work();
    await this.#goesOn();
    const [writes = 0, ...watches] = all.map((silence) => silence.longest());
    return { writes, watches: Math.max(...watches) };
  }

  /** Ends it, and says which acknowledged writes are not there any more, and which a watch has not heard of. */
  async finish(): Promise<{ acknowledged: number; lost: string[]; unheard: string[] }> {
    await this.#writer.stop();
    const { acknowledged } = this.#writer;
    await this.#hear(acknowledged).catch(() => undefined);
    await this.stop();
    const there = await this.#present();
    return {
      acknowledged: acknowledged.size,
      lost: missing(acknowledged, there),
      unheard: this.#watches.flatMap(({ seen }) => missing(acknowledged, seen)),
    };
  }

  async stop(): Promise<void> {
    await this.#writer.stop();
    await Promise.all(this.#watches.map((watch) => watch.stop()));
  }

  /** Waits until something is written from now on, and every watch has heard of it. */
  async #goesOn(): Promise<void> {
    const { acknowledged } = this.#writer;
    const before = acknowledged.size;
    await waitFor("a write to be acknowledged", deadlineIn(patienceSeconds), async () => {
      if (acknowledged.size === before) throw new Error("none is");
    });
    await this.#hear([...acknowledged].slice(before));
  }

  async #hear(names: Iterable<string>): Promise<void> {
    await waitFor("every watch to hear of what was written", deadlineIn(patienceSeconds), async () => {
      const deaf = this.#watches.filter(({ seen }) => missing(names, seen).length > 0).length;
      if (deaf > 0) throw new Error(`${deaf} of ${this.#watches.length} have not`);
    });
  }

  async #present(): Promise<ReadonlySet<string>> {
    const session = new ApiSession(this.#kubeconfig);
    try {
      const { items } = JSON.parse(await session.ask("GET", objects.path, { milliseconds: 20_000 })) as Listed;
      return new Set(items.map(({ metadata }) => metadata?.name ?? ""));
    } finally {
      session.drop();
    }
  }
}

type Listed = { readonly items: readonly KubeObject[] };

/** A busy machine may need a while to get over the loss of a host; how long was silence is judged by whoever asked for it. */
const patienceSeconds = 90;

const missing = (names: Iterable<string>, present: ReadonlySet<string>): string[] =>
  [...names].filter((name) => !present.has(name));
