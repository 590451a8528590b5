import type { KubeClient, KubeObject } from "./client.ts";
import { KubeError } from "./error.ts";

/** A page of a list. */
interface Page {
  readonly items?: readonly KubeObject[];
  readonly metadata?: { readonly continue?: string };
}

/** How a list is asked for. */
interface Listing {
  readonly query?: Readonly<Record<string, string>>;
  /** Whether there may be no such path, and so no objects. @default false: that is an error */
  readonly optional?: boolean;
  /**
   * Whether what takes so long that etcd has forgotten what it began with is gone on with as things are then.
   * @default false: that is an error
   */
  readonly moving?: boolean;
}

/** Objects by pages of 500, so that no answer is large. */
export async function* pagesOf(
  client: KubeClient,
  path: string,
  { query = {}, optional = false, moving = false }: Listing = {},
): AsyncGenerator<readonly KubeObject[]> {
  let next: string | undefined;
  do {
    const call = {
      query: { ...query, limit: "500", ...(next !== undefined && { continue: next }) },
      timeout: 30_000,
    };
    const page: Page | undefined = await (
      optional ? client.find<Page>(path, call) : client.get<Page>(path, call)
    ).catch((error: unknown) => {
      if (moving && error instanceof KubeError && error.next) return { metadata: { continue: error.next } };
      throw error;
    });
    yield page?.items ?? [];
    next = page?.metadata?.continue || undefined;
  } while (next !== undefined);
}
