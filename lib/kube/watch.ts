import type { IncomingMessage } from "node:http";
import type { Deadline } from "../wait.ts";
import type { KubeClient, KubeObject } from "./client.ts";

/** What a watch reports: an object as it is now, or as it was when it was deleted. */
export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: KubeObject;
}

/**
 * Everything that exists at `path` and then each change of it, until the deadline or until the caller stops. It ends
 * early when the server closes the watch; then start again from a new list.
 */
export async function* watch(
  client: KubeClient,
  path: string,
  deadline: Deadline,
  query: Record<string, string> = {},
): AsyncGenerator<WatchEvent> {
  const timeout = Math.max(1, Math.ceil(deadline.left()));
  const response = await client.open("GET", path, {
    query: { watch: "true", timeoutSeconds: String(Math.ceil(timeout / 1000)), ...query },
    timeout,
  });
  try {
    for await (const line of lines(response)) yield JSON.parse(line) as WatchEvent;
  } catch (error) {
    if (!deadline.signal.aborted && deadline.left() > 0) throw error;
  } finally {
    response.destroy();
  }
}

async function* lines(response: IncomingMessage): AsyncGenerator<string> {
  let rest = "";
  response.setEncoding("utf8");
  for await (const chunk of response) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) if (part !== "") yield part;
  }
}
