import { setTimeout as sleep } from "node:timers/promises";
import { isForbidden } from "../api-error.ts";
import type { Cluster } from "../cluster.ts";
import { referenceOf } from "../cluster.ts";
import type { GroupVersionKind } from "../gvk.ts";
import { nameOf, namespaceOf, textAt } from "../object.ts";
import type { KubeObject } from "../object.ts";
import { core, numberAt } from "./rule.ts";
import type { Rule, View } from "./rule.ts";
import type { StatusLog } from "./status-log.ts";

const PAUSE_MS = 500;
/** Events are no need, and not everybody may list them: each object that is waited for would ask twice a second. */
const FORBIDDEN_PAUSE_MS = 30_000;

/** Watches an object, what its rule relates it to, and the events about it. */
export class Observer {
  readonly #cluster: Cluster;
  readonly #written: KubeObject;
  readonly #rule: Rule;
  readonly #signal: AbortSignal;
  readonly #stop = new AbortController();
  readonly #log: StatusLog;
  readonly #related = new Map<string, Map<string, KubeObject>>();
  readonly #listed = new Set<string>();
  readonly #startedAt = performance.now();
  #object: KubeObject;
  #gone = false;
  #changedAt: number | undefined;
  #wake: () => void = () => {};
  #news = true;
  #alarm: NodeJS.Timeout | undefined;

  constructor(cluster: Cluster, written: KubeObject, rule: Rule, signal: AbortSignal, log: StatusLog) {
    this.#cluster = cluster;
    this.#written = written;
    this.#rule = rule;
    this.#signal = AbortSignal.any([signal, this.#stop.signal]);
    this.#log = log;
    this.#object = written;
  }

  /** The object as last seen. */
  get object(): KubeObject {
    return this.#object;
  }

  /** A view at once and after every change, until the signal is aborted. */
  async *views(previous: KubeObject | undefined): AsyncGenerator<View> {
    this.#start();
    while (!this.#signal.aborted) {
      if (this.#news) {
        this.#news = false;
        yield this.#view(previous);
        continue;
      }
      const aborted = () => this.#wake();
      this.#signal.addEventListener("abort", aborted, { once: true });
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#signal.removeEventListener("abort", aborted);
    }
  }

  /** Another view after this time, in milliseconds, whatever happens. */
  lookAgainIn(ms: number | undefined): void {
    clearTimeout(this.#alarm);
    if (ms !== undefined) this.#alarm = setTimeout(() => this.#changed(), ms);
  }

  stop(): void {
    clearTimeout(this.#alarm);
    this.#stop.abort();
  }

  #view(previous: KubeObject | undefined): View {
    return {
      object: this.#object,
      written: this.#written,
      previous,
      related: (kind) => [...(this.#related.get(kind)?.values() ?? [])],
      isListed: (kind) => this.#listed.has(kind),
      waitedMs: performance.now() - this.#startedAt,
      quietMs: this.#changedAt === undefined ? undefined : performance.now() - this.#changedAt,
      once: false,
      gone: this.#gone,
    };
  }

  #changed(): void {
    this.#news = true;
    this.#wake();
  }

  #start(): void {
    const { gvk, namespace, name } = referenceOf(this.#written);
    const generation = numberAt(this.#written, "metadata", "generation");
    this.#follow(gvk, namespace, { fieldSelector: `metadata.name=${name}` }, (object, isGone) => {
      this.#gone = isGone;
      if (!isGone && numberAt(object, "metadata", "generation") < generation) return;
      if (!isGone) this.#object = object;
      this.#changed();
    });
    for (const related of this.#rule.related ?? []) {
      const known = new Map<string, KubeObject>();
      this.#related.set(related.kind, known);
      const namespace = related.kind === "StorageClass" ? "" : namespaceOf(this.#written);
      const see = (object: KubeObject, isGone: boolean) => {
        if (isGone) known.delete(nameOf(object));
        else known.set(nameOf(object), object);
        if (related.kind === "Endpoints" && this.#isOwn(object)) this.#changedAt = performance.now();
        this.#changed();
      };
      this.#follow(related, namespace, {}, see, () => {
        this.#listed.add(related.kind);
        this.#changed();
      });
    }
    const uid = textAt(this.#written, "metadata", "uid");
    this.#follow(core("Event"), namespace || "default", { fieldSelector: `involvedObject.uid=${uid}` }, (event) => {
      const severity = textAt(event, "type") === "Warning" ? "warning" : "debug";
      this.#log.show(severity, `${textAt(event, "reason")}: ${textAt(event, "message")}`);
    });
  }

  /** Endpoints have the name of their Service; an Ingress has any. */
  #isOwn(endpoints: KubeObject): boolean {
    return textAt(this.#written, "kind") !== "Service" || nameOf(endpoints) === nameOf(this.#written);
  }

  /** Lists and watches for ever; a server that cannot be reached for a moment is asked again. */
  #follow(
    gvk: GroupVersionKind,
    namespace: string,
    query: Record<string, string>,
    see: (object: KubeObject, isGone: boolean) => void,
    listed: () => void = () => {},
  ): void {
    const signal = this.#signal;
    const once = async () => {
      const list = await this.#cluster.list(gvk, namespace, query, signal);
      for (const item of list["items"] as KubeObject[]) {
        see({ apiVersion: gvk.group ? `${gvk.group}/${gvk.version}` : gvk.version, kind: gvk.kind, ...item }, false);
      }
      listed();
      const resourceVersion = textAt(list, "metadata", "resourceVersion");
      for await (const { type, object } of this.#cluster.watch(gvk, namespace, { ...query, resourceVersion }, signal)) {
        if (type === "ERROR") return;
        if (type !== "BOOKMARK") see(object, type === "DELETED");
      }
    };
    const forEver = async () => {
      while (!signal.aborted) {
        const pause = await once().then(
          () => PAUSE_MS,
          (error: unknown) => (isForbidden(error) ? FORBIDDEN_PAUSE_MS : PAUSE_MS),
        );
        await sleep(pause, undefined, { signal }).catch(() => {});
      }
    };
    void forEver();
  }
}
