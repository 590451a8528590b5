/** One API server: its objects by kind and name. */
import type { ApiClient, WatchEvent } from "./api-client.ts";
import type { Discovery } from "./discovery.ts";
import { gvkOfObject } from "./gvk.ts";
import type { GroupVersionKind } from "./gvk.ts";
import { nameOf, namespaceOf } from "./object.ts";
import type { KubeObject } from "./object.ts";

export interface ObjectReference {
  readonly gvk: GroupVersionKind;
  readonly namespace: string;
  readonly name: string;
}

export interface WriteOptions {
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly signal: AbortSignal;
}

export class Cluster {
  readonly #client: ApiClient;
  readonly discovery: Discovery;
  /** Major and minor of the server. */
  readonly version: readonly [number, number];

  constructor(client: ApiClient, discovery: Discovery, version: readonly [number, number]) {
    this.#client = client;
    this.discovery = discovery;
    this.version = version;
  }

  async get(reference: ObjectReference, signal: AbortSignal): Promise<KubeObject> {
    return this.#client.request(await this.#path(reference), { signal });
  }

  async create(object: KubeObject, { fieldManager, dryRun, signal }: WriteOptions): Promise<KubeObject> {
    const collection = await this.#path({ ...referenceOf(object), name: "" });
    return this.#client.request(collection, {
      method: "POST",
      query: { fieldManager, dryRun: dryRun ? "All" : undefined },
      body: object,
      signal,
    });
  }

  async replace(object: KubeObject, { fieldManager, dryRun, signal }: WriteOptions): Promise<KubeObject> {
    return this.#client.request(await this.#path(referenceOf(object)), {
      method: "PUT",
      query: { fieldManager, dryRun: dryRun ? "All" : undefined },
      body: object,
      signal,
    });
  }

  /** Server-side apply. https://kubernetes.io/docs/reference/using-api/server-side-apply/ */
  async apply(object: KubeObject, options: WriteOptions): Promise<KubeObject> {
    return this.patch(referenceOf(object), object, "application/apply-patch+yaml", options);
  }

  async patch(
    reference: ObjectReference,
    body: unknown,
    contentType: string,
    { fieldManager, dryRun, force, signal }: WriteOptions,
  ): Promise<KubeObject> {
    return this.#client.request(await this.#path(reference), {
      method: "PATCH",
      query: { fieldManager, force, dryRun: dryRun ? "All" : undefined },
      body,
      contentType,
      signal,
    });
  }

  async delete(reference: ObjectReference, propagationPolicy: string, signal: AbortSignal): Promise<KubeObject> {
    const body = { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy };
    return this.#client.request(await this.#path(reference), { method: "DELETE", body, signal });
  }

  /** Objects of a kind: `items`, and `metadata.resourceVersion` to watch from. An empty namespace stands for all. */
  async list(
    gvk: GroupVersionKind,
    namespace: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<KubeObject> {
    return this.#client.request(await this.#path({ gvk, namespace, name: "" }, true), { query, signal });
  }

  async *watch(
    gvk: GroupVersionKind,
    namespace: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent> {
    yield* this.#client.watch(await this.#path({ gvk, namespace, name: "" }, true), { query, signal });
  }

  async #path({ gvk, namespace, name }: ObjectReference, allNamespaces = false): Promise<string> {
    const { prefix, plural, namespaced } = await this.discovery.find(gvk);
    const within = namespaced && (namespace || !allNamespaces) ? `/namespaces/${namespace || "default"}` : "";
    return `${prefix}${within}/${plural}${name ? `/${encodeURIComponent(name)}` : ""}`;
  }
}

export function referenceOf(object: KubeObject): ObjectReference {
  return { gvk: gvkOfObject(object), namespace: namespaceOf(object), name: nameOf(object) };
}
