import type { KubeClient, KubeObject } from "./client.ts";
import { namespacedPath } from "./paths.ts";

/**
 * A pod on a node that is gone is never reported as ended: it is taken out of the API. Should the node still be running,
 * what is in it goes on there, alone, and as a member of etcd no longer belongs to its cluster.
 *
 * @param what is in it
 */
export async function forgetPod(client: KubeClient, what: string, { metadata, spec }: KubeObject): Promise<void> {
  console.log(`warning: ${what}: nobody hears of its node ${spec?.nodeName}: its pod there is given up`);
  const now = { gracePeriodSeconds: 0, preconditions: { uid: metadata?.uid } };
  await client.delete(namespacedPath(metadata?.namespace ?? "", "pods", metadata?.name), now);
}

/** The pod, and the node it is on, if any. */
export const whereIs = ({ metadata, spec }: KubeObject): string =>
  spec?.nodeName === undefined ? `${metadata?.name}` : `${metadata?.name} on node ${spec.nodeName}`;

/** What to do about pods of a namespace that do not end. */
export const lookAtTheirNodes = (namespace: string, pods: readonly KubeObject[]): string =>
  "see that the nodes are well; where a machine is off for good, " +
  `\`kubectl --namespace ${namespace} delete pod ${pods.map(({ metadata }) => metadata?.name).join(" ")} --force\``;
