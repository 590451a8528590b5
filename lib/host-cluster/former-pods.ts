import { connect, type KubeClient, type KubeObject } from "../kube/client.ts";
import { isTransient } from "../kube/error.ts";
import { lookAtTheirNodes, whereIs } from "../kube/lost-pod.ts";
import { namespacedPath } from "../kube/paths.ts";
import type { ProgramPod } from "../kube/pod-file.ts";
import { hasEnded, isLost } from "../kube/pod.ts";
import { type Deadline, messageOf, Pending, waitFor } from "../wait.ts";

/** The pods of a Deployment that has the name of their label `app.kubernetes.io/instance`. */
export type DeployedPods = Pick<ProgramPod, "kubeconfig" | "namespace" | "instance">;

/**
 * Waits until no pod runs any more with what the Deployment's template was before. Those that are terminating are no
 * part of any count in its status, so a rollout is complete while they still serve.
 *
 * @throws at once when only pods are left whose node does not report their end
 */
export async function formerPodsEnd(pods: DeployedPods, deadline: Deadline): Promise<void> {
  const client = await connect(pods.kubeconfig);
  const { namespace, instance } = pods;
  let left: readonly KubeObject[] = [];
  const attempt = async () => {
    const former = await formerPods(client, pods);
    if (former instanceof Pending) return former;
    left = former;
    return former.every(isLost) ? undefined : new Pending(former.map(inWords).join("; "));
  };
  await waitFor(`the pods of ${instance} with former settings to end`, deadline, attempt, {
    fatal: (error) => !isTransient(error),
  }).catch((error: unknown) => {
    throw new Error(`${namespace}/${instance}: ${messageOf(error)}`, { cause: error });
  });
  if (left.length === 0) return;
  throw new Error(
    `${namespace}/${instance}: pods with former settings may still run: ${left.map(inWords).join("; ")}\n` +
      `${lookAtTheirNodes(namespace, left)}; then run up again`,
  );
}

function inWords(pod: KubeObject): string {
  const { deletionTimestamp } = pod.metadata ?? {};
  const where = whereIs(pod);
  if (deletionTimestamp === undefined) return `${where} has not been told to end`;
  if (!isLost(pod)) return `${where} is terminating`;
  return `${where} was to end by ${deletionTimestamp}, and its node has not reported that it has`;
}

/** Those of another template than the Deployment has now. */
async function formerPods(
  client: KubeClient,
  { namespace, instance }: DeployedPods,
): Promise<readonly KubeObject[] | Pending> {
  const query = { labelSelector: `app.kubernetes.io/instance=${instance}` };
  const list = (kind: string) => client.get<{ items: KubeObject[] }>(namespacedPath(namespace, kind), { query });
  const [deployment, sets] = await Promise.all([
    client.get(namespacedPath(namespace, "deployments", instance)),
    list("replicasets"),
  ]);
  const isSeen = Number(deployment["status"]?.observedGeneration ?? 0) >= (deployment.metadata?.generation ?? 0);
  const newest = sets.items.find((set) => revisionOf(set) === revisionOf(deployment));
  if (!isSeen || newest === undefined) return new Pending("its present template has no pods yet");
  const { items } = await list("pods");
  return items.filter((pod) => templateOf(pod) !== templateOf(newest) && !hasEnded(pod));
}

const revisionOf = ({ metadata }: KubeObject) => metadata?.annotations?.["deployment.kubernetes.io/revision"];

/** https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#pod-template-hash-label */
const templateOf = ({ metadata }: KubeObject) => metadata?.labels?.["pod-template-hash"];
