import type { Source } from "../../../cli/support/collect.ts";

/** What sources put and lack, by path; what one throws by its own. */
export async function gathered(sources: readonly Source[]): Promise<{
  readonly put: Record<string, unknown>;
  readonly lacking: Record<string, string>;
}> {
  const put: Record<string, unknown> = {};
  const lacking: Record<string, string> = {};
  const lacks = (path: string, error: unknown) => void (lacking[path] = (error as Error).message);
  const into = {
    put: (path: string, content: unknown) => {
      put[path] = typeof content === "string" ? content : (JSON.parse(JSON.stringify(content)) as unknown);
      return Promise.resolve();
    },
    lacks,
  };
  await Promise.all(sources.map(({ path, read }) => read(into).catch((error: unknown) => lacks(path, error))));
  return { put, lacking };
}
