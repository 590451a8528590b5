import type { KubeClient, KubeObject } from "./client.ts";

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
}

/** Objects by pages of 500, so that no answer is large. */
export async function* pagesOf(
  client: KubeClient,
  path: string,
  { query = {}, optional = false }: Listing = {},
): AsyncGenerator<readonly KubeObject[]> {
  let next: string | undefined;
  do {
    const call = {
      query: { ...query, limit: "500", ...(next !== undefined && { continue: next }) },
      timeout: 30_000,
    };
    const page: Page | undefined = await (optional ? client.find<Page>(path, call) : client.get<Page>(path, call));
    yield page?.items ?? [];
    next = page?.metadata?.continue || undefined;
  } while (next !== undefined);
}
