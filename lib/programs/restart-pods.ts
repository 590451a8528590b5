import { objectName } from "../host-cluster/object-name.ts";
import { connect, type KubeClient, type KubeObject } from "../kube/client.ts";
import { namespacedPath } from "../kube/paths.ts";
import { isReady } from "../kube/pod.ts";
import { deadlineIn, messageOf, Pending, waitFor } from "../wait.ts";

/**
 * Deletes the pods of programs, so that their controllers make new ones. Replicas of a program go one after another,
 * each once as many are Ready as before, or the wait for that is over: the deleted pod no longer holds what this is
 * about, whether or not its successor serves.
 */
export async function restartPods(kubeconfig: string, namespace: string, programs: readonly string[]): Promise<void> {
  const client = await connect(kubeconfig);
  await Promise.all(programs.map((program) => restartReplicas(client, namespace, objectName(program))));
}

async function restartReplicas(client: KubeClient, namespace: string, instance: string): Promise<void> {
  const query = { labelSelector: `app.kubernetes.io/instance=${instance}` };
  const list = async () => {
    const { items } = await client.get<{ items: KubeObject[] }>(namespacedPath(namespace, "pods"), { query });
    return items;
  };
  const before = await list();
  const wanted = before.filter(isReady).length;
  for (const [i, name] of before.flatMap(({ metadata }) => metadata?.name ?? []).entries()) {
    if (i > 0) await allReady(instance, wanted, list);
    await client.delete(namespacedPath(namespace, "pods", name));
  }
}

async function allReady(instance: string, wanted: number, list: () => Promise<KubeObject[]>): Promise<void> {
  try {
    await waitFor(`as many pods of ${instance} to be Ready as before`, deadlineIn(readySeconds), async () => {
      const ready = (await list()).filter(isReady).length;
      return ready >= wanted ? undefined : new Pending(`${ready} of ${wanted} are`);
    });
  } catch (error) {
    console.log(`warning: ${messageOf(error)}; ${allTheSame}`);
  }
}

const readySeconds = 60;

/** The end of a warning about a replica that does not serve again in time. */
export const allTheSame = "the next one is started again all the same";
