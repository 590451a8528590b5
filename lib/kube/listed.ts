import type { Deadline } from "../wait.ts";
import type { KubeClient, KubeObject } from "./client.ts";
import { KubeError } from "./error.ts";
import { retryTransient } from "./retry-transient.ts";

/** A page of a list. */
interface Page {
  readonly items?: readonly KubeObject[];
  readonly metadata?: { readonly continue?: string };
}

/** Options of a list. */
interface Listing {
  readonly query?: Readonly<Record<string, string>>;
  /** Whether a missing path means no objects. @default false: it is an error */
  readonly optional?: boolean;
  /**
   * Whether a list that takes so long that etcd has compacted its revision goes on from the present state.
   * @default false: that is an error
   */
  readonly moving?: boolean;
  /** Until when a page is asked for again that a busy or starting server does not give. @default it is asked for once */
  readonly deadline?: Deadline;
}

/** Objects in pages of 500, so that no answer is large. */
export async function* pagesOf(
  client: KubeClient,
  path: string,
  { query = {}, optional = false, moving = false, deadline }: Listing = {},
): AsyncGenerator<readonly KubeObject[]> {
  let next: string | undefined;
  do {
    const call = {
      query: { ...query, limit: "500", ...(next !== undefined && { continue: next }) },
      timeout: 30_000,
    };
    const ask = (): Promise<Page | undefined> =>
      (optional ? client.find<Page>(path, call) : client.get<Page>(path, call)).catch((error: unknown) => {
        if (moving && error instanceof KubeError && error.next) return { metadata: { continue: error.next } };
        throw error;
      });
    const page = await (deadline === undefined ? ask() : retryTransient(`a list of ${path}`, deadline, ask));
    yield page?.items ?? [];
    next = page?.metadata?.continue || undefined;
  } while (next !== undefined);
}
