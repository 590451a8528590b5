import type { KubeClient, KubeObject } from "../kube/client.ts";
import { KubeError } from "../kube/error.ts";
import { namespacedPath } from "../kube/paths.ts";
import { podName } from "./kubernetes-member.ts";
import { leftRunning } from "./kubernetes-nodes.ts";

/**
 * A pod that runs is not to make way for one that the cluster lets nobody make: a quota or a LimitRange may be against it, the
 * namespace's Pod Security, or a webhook. That is found out by a dry run.
 *
 * @param set the StatefulSet that is to make it
 * @throws with what the cluster says
 */
export async function refuseUnlessAdmitted(
  client: KubeClient,
  namespace: string,
  member: string,
  set: KubeObject,
): Promise<void> {
  const { metadata, spec } = set["spec"].template as KubeObject;
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { ...metadata, name: podName(member) }, spec };
  try {
    await client.create(namespacedPath(namespace, "pods"), pod, { query: { dryRun: "All" } });
  } catch (error) {
    if (!isAgainstIt(error)) return;
    throw new Error(`${leftRunning(member)}: a pod in its place is refused: ${error.message}`, { cause: error });
  }
}

/**
 * Whether an answer is about what is in the pod. Others are not: that it exists already, which is asked last, that this user may
 * make none, that a webhook takes no dry runs. What a quota is exceeded by, the pod that makes way gives back.
 */
const isAgainstIt = (error: unknown): error is KubeError =>
  error instanceof KubeError &&
  (/ admission webhook "[^"]*" denied the request/.test(error.message) ||
    (error.status === 403 && !/ is forbidden: (User |exceeded quota)/.test(error.message)));
