import type { KubeClient, KubeObject } from "../../kube/client.ts";
import { Pending, waitFor, type Deadline } from "../../wait.ts";

/**
 * Bindings that the scheduler has not looked at in their present generation. After going back in time a generation
 * number is used a second time, and a scheduler that remembers the first use sees no change; that is why all
 * controllers are restarted. What is still listed at the deadline needs someone to look at it.
 */
export async function laggingBindings(plane: KubeClient, deadline: Deadline): Promise<string[]> {
  let last: string[] = [];
  const none = async () => {
    last = (await Promise.all(paths.map((path) => lagging(plane, path)))).flat();
    return last.length === 0 ? last : new Pending(`${last.length} bindings are not scheduled yet`);
  };
  return waitFor("every binding to be scheduled", deadline, none, { interval: 500, maxInterval: 2000 }).catch(
    (error: unknown) => {
      if (last.length === 0) throw error;
      return last;
    },
  );
}

const paths = ["resourcebindings", "clusterresourcebindings"].map((kind) => `/apis/work.karmada.io/v1alpha2/${kind}`);

async function lagging(plane: KubeClient, path: string): Promise<string[]> {
  const { items } = await plane.get<{ items: KubeObject[] }>(path, { timeout: 30_000 });
  return items
    .filter(({ spec }) => spec?.placement !== undefined && spec.suspension?.scheduling !== true)
    .filter(({ metadata, status }) => status?.schedulerObservedGeneration !== generationOf(metadata))
    .map(({ metadata }) => [metadata?.namespace, metadata?.name].filter(Boolean).join("/"));
}

const generationOf = (metadata: KubeObject["metadata"]): unknown => (metadata as { generation?: number }).generation;
