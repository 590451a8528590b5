import type { ApiClient } from "./api-client.ts";
import { isNotFound, NoMatchError } from "./api-error.ts";
import { groupVersionOf } from "./gvk.ts";
import type { GroupVersionKind } from "./gvk.ts";

/** For questions about the server itself, as in client-go (discovery_client.go, defaultTimeout). */
export const discovering = { timeoutMs: 32_000 };

/** Where the objects of a kind are. */
export interface ApiResource {
  /** `/apis/apps/v1` */
  readonly prefix: string;
  /** `deployments` */
  readonly plural: string;
  readonly namespaced: boolean;
}

/** Which kinds the server has; each group version is asked for once, and again when a kind is missing in it. */
export class Discovery {
  readonly #client: ApiClient;
  #versions = new Map<string, Promise<ReadonlyMap<string, ApiResource>>>();

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** Throws NoMatchError when the server does not have the kind, also after looking again. */
  async find(gvk: GroupVersionKind): Promise<ApiResource> {
    const found = await this.findCached(gvk);
    if (found) return found;
    this.#versions.delete(groupVersionOf(gvk));
    const again = await this.findCached(gvk);
    if (again) return again;
    throw new NoMatchError(gvk.kind, groupVersionOf(gvk));
  }

  /** `undefined` when the kind was not there the last time. */
  async findCached(gvk: GroupVersionKind): Promise<ApiResource | undefined> {
    const groupVersion = groupVersionOf(gvk);
    let resources = this.#versions.get(groupVersion);
    if (resources === undefined) {
      resources = this.#list(gvk);
      this.#versions.set(groupVersion, resources);
      resources.catch(() => this.#versions.delete(groupVersion));
    }
    return (await resources).get(gvk.kind);
  }

  /** Forgets everything: a CustomResourceDefinition was made or changed. */
  reset(): void {
    this.#versions = new Map();
  }

  async #list(gvk: GroupVersionKind): Promise<ReadonlyMap<string, ApiResource>> {
    const prefix = gvk.group ? `/apis/${gvk.group}/${gvk.version}` : `/api/${gvk.version}`;
    try {
      const list = (await this.#client.request(prefix, discovering)) as unknown as ResourceList;
      return new Map(
        list.resources
          .filter(({ name }) => !name.includes("/"))
          .map(({ kind, name, namespaced }) => [kind, { prefix, plural: name, namespaced }]),
      );
    } catch (error) {
      if (isNotFound(error)) return new Map();
      throw error;
    }
  }
}

interface ResourceList {
  readonly resources: readonly { readonly kind: string; readonly name: string; readonly namespaced: boolean }[];
}
