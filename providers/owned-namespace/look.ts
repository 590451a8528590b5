import { isDeepStrictEqual } from "node:util";
import { lookAtHostCluster } from "../../lib/host-cluster/look.ts";
import type { Finding, HostClusterNeeds } from "../../lib/host-cluster/needs.ts";
import { connect } from "../../lib/kube/client.ts";
import { messageOf } from "../../lib/wait.ts";
import type { Before, Problem } from "../implementation.ts";
import type { OwnedNamespaceInputs as Inputs } from "../owned-namespace.ts";

/**
 * All that speaks against the host cluster, found without changing anything; warnings are printed. One that does not
 * answer now is not a problem of the stack file: `up` reports what is wrong with it.
 */
export async function lookFirst(inputs: Partial<Inputs>, before: Before<Inputs>): Promise<Problem[]> {
  const { kubeconfig, clusterIdentifier: _id, timeoutSeconds: _seconds, ...declared } = inputs;
  const needs = needsOf(declared);
  if (kubeconfig === undefined || needs === undefined) return [];
  let findings: Finding[];
  try {
    findings = await lookAtHostCluster(await connect(kubeconfig), needs);
  } catch (error) {
    console.log(`${needs.namespace}: the host cluster cannot be looked at now: ${messageOf(error)}`);
    return [];
  }
  const forbids = ({ severity, need }: Finding) => severity === "error" && !(need === "pods" && runs(before, declared));
  const warnings = findings.filter((finding) => !forbids(finding));
  if (warnings.length > 0) console.log(warnings.map(({ message }) => `warning: ${message}`).join("\n"));
  return findings.filter(forbids).map(({ need, message }) => ({ property: need, reason: message }));
}

/** What is needed, as far as it is known in a preview; undefined as long as that is too little to look. */
function needsOf({
  namespace,
  deployment,
  oldest,
  pods,
  nodePorts = {},
  networkPolicies = false,
  ...others
}: Partial<HostClusterNeeds>): HostClusterNeeds | undefined {
  if (namespace === undefined || deployment === undefined || oldest === undefined || pods === undefined)
    return undefined;
  return { ...others, namespace, deployment, oldest, pods, nodePorts, networkPolicies };
}

/** Whether the pods run as declared: then a node that is drained or away must not block other changes. */
const runs = ({ inputs }: Before<Inputs>, { pods, otherPods }: Partial<Inputs>): boolean =>
  isDeepStrictEqual({ pods: inputs?.pods, otherPods: inputs?.otherPods }, { pods, otherPods });
