import { isDeepStrictEqual } from "node:util";
import { namespacePath } from "../../lib/host-cluster/namespace.ts";
import { connect } from "../../lib/kube/client.ts";
import { parseKubeconfig } from "../../lib/kube/kubeconfig.ts";
import type { Before, Problem, State } from "../implementation.ts";
import type { OwnedNamespaceInputs as Inputs, OwnedNamespaceOutputs } from "../owned-namespace.ts";

/**
 * Problems of a declaration by which the deployment would be elsewhere.
 *
 * The contents of a namespace go with it: in another one, etcd would be without its data. And until the identifier is
 * in the state it has no effect: objects would be replaced.
 */
export function checkMove(
  { kubeconfig, namespace, clusterIdentifier }: Partial<Inputs>,
  { inputs: then }: Before<Inputs>,
): Problem[] {
  if (then?.namespace !== undefined && namespace !== undefined && then.namespace !== namespace) {
    const reason = `the deployment is in ${then.namespace} and cannot move to ${namespace}\nset placement.namespace back, or, to begin anew without its data, run \`pulumi destroy\` first`;
    return [{ property: "namespace", reason }];
  }
  if (then?.clusterIdentifier !== undefined || clusterIdentifier === undefined) return [];
  if (!isReachedOtherwise(then?.kubeconfig, kubeconfig)) return [];
  const reason =
    "the state is of an earlier version, which would replace all objects for a kubeconfig with another server or authority\nrun `up` once with the previous kubeconfig";
  return [{ property: "kubeconfig", reason }];
}

/**
 * Another address leads to the same cluster if the namespace there is the same. In another cluster nothing of the
 * deployment would exist, and nothing would create it: its objects are identified by name.
 *
 * @returns what is wrong, and what to do; undefined if nothing is
 */
export async function foundElsewhere(
  state: State<Inputs, OwnedNamespaceOutputs>,
  { kubeconfig, namespace }: Partial<Inputs>,
): Promise<string | undefined> {
  if (kubeconfig === undefined || kubeconfig === state.kubeconfig || namespace !== state.namespace || !state.uid)
    return;
  const found = await (await connect(kubeconfig)).find(namespacePath(namespace), { timeout: 5000 });
  const uid = found?.metadata?.uid;
  if (uid === state.uid || (found === undefined && !isReachedOtherwise(state.kubeconfig, kubeconfig))) return;
  const there = found === undefined ? "it has no such namespace" : `UID of the namespace ${uid}, was ${state.uid}`;
  return `${namespace}: the kubeconfig leads to another cluster than the one the deployment is in (${there})\nset placement.credentials back, or, to begin anew there without its data, run \`pulumi destroy\` with the previous ones first (with PULUMI_K8S_DELETE_UNREACHABLE=true where that cluster is gone for good)`;
}

/** Whether two kubeconfigs name another server or authority, by which Pulumi's kubernetes provider tells clusters apart. */
function isReachedOtherwise(before: string | undefined, now: string | undefined): boolean {
  if (before === undefined || now === undefined) return false;
  const way = (kubeconfig: string) => {
    const { server, ca, tlsServerName, proxyUrl, insecureSkipTlsVerify } = parseKubeconfig(kubeconfig);
    return { server, ca, tlsServerName, proxyUrl, insecureSkipTlsVerify };
  };
  return !isDeepStrictEqual(way(before), way(now));
}
