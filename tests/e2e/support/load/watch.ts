import { setTimeout as sleep } from "node:timers/promises";
import type { KubeObject } from "../../../../lib/kube/client.ts";
import type { WatchEvent } from "../../../../lib/kube/watch.ts";
import { ApiSession } from "./api-session.ts";
import { objects } from "./objects.ts";
import { Silence } from "./silence.ts";

/** Watches what a writer makes over a connection of its own, and goes on from where it was when that breaks. */
export class Watch {
  readonly seen = new Set<string>();
  readonly silence = new Silence();
  readonly #session: ApiSession;
  readonly #ended: Promise<void>;
  #version: string | undefined;
  #stopped = false;

  constructor(kubeconfig: string) {
    this.#session = new ApiSession(kubeconfig);
    this.#ended = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#session.drop();
    await this.#ended;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        this.#version ??= await this.#list();
        await this.#watch(this.#version);
      } catch {
        this.#session.drop();
        await sleep(100);
      }
    }
  }

  async #list(): Promise<string> {
    const list = JSON.parse(await this.#session.ask("GET", objects.path)) as KubeObject & { items: KubeObject[] };
    for (const { metadata } of list.items) this.seen.add(metadata!.name!);
    return list.metadata!.resourceVersion!;
  }

  async #watch(version: string): Promise<void> {
    for await (const line of this.#session.lines(`${objects.path}?watch=true&resourceVersion=${version}`)) {
      const { type, object } = JSON.parse(line) as WatchEvent;
      if (type === "ERROR") {
        // What it was at is too old for this server: it has to list anew.
        this.#version = undefined;
        return;
      }
      this.#version = object.metadata!.resourceVersion!;
      this.seen.add(object.metadata!.name!);
      this.silence.end();
    }
  }
}
