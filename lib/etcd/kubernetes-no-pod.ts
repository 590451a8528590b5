import type { KubeClient, KubeObject } from "../kube/client.ts";
import { isForbidden } from "../kube/error.ts";
import { namespacedPath } from "../kube/paths.ts";

/**
 * Why a member has no pod, in words: a quota, a LimitRange, the namespace's Pod Security or a webhook may refuse it,
 * which its StatefulSet reports only in events. Without the right to list those there is no answer.
 */
export async function whyNoPod(client: KubeClient, namespace: string, member: string): Promise<string> {
  const fieldSelector = `involvedObject.kind=StatefulSet,involvedObject.name=${member},reason=FailedCreate`;
  const list = client.get<{ items: KubeObject[] }>(namespacedPath(namespace, "events"), { query: { fieldSelector } });
  const { items } = await list.catch((error: unknown) => {
    if (!isForbidden(error)) throw error;
    return { items: [] };
  });
  const last = items.sort((a, b) => seen(a) - seen(b)).at(-1);
  return last === undefined ? "it has no pod yet" : `it has no pod yet: ${String(last["message"])}`;
}

const seen = ({ lastTimestamp }: KubeObject): number => Date.parse(String(lastTimestamp)) || 0;
