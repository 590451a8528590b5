import type { KubeClient } from "../kube/client.ts";
import { isForbidden } from "../kube/error.ts";
import { judgeAddressFamily } from "./address-family.ts";
import { judgeIngressClass } from "./ingress-class.ts";
import { judgeNamespace } from "./namespace.ts";
import { type Finding, type HostClusterNeeds, warning } from "./needs.ts";
import { judgeNodePorts } from "./node-ports.ts";
import { judgeNodes } from "./nodes.ts";
import { judgePriorityClass } from "./priority-class.ts";
import { judgeRights } from "./rights.ts";
import { judgeStorageClass } from "./storage-class.ts";
import { judgeVersion } from "./version.ts";
import { judgeVolumes } from "./volumes.ts";
import { judgeWrittenVolumes } from "./written-volumes.ts";
import { messageOf } from "../wait.ts";

/**
 * Finds everything that speaks against a deployment in a cluster, all at once, and changes nothing. What it may not
 * look at it warns of: the deployment need not have the right to.
 *
 * @throws when the cluster does not answer
 */
export async function lookAtHostCluster(client: KubeClient, needs: HostClusterNeeds): Promise<Finding[]> {
  const judges: readonly [what: string, judge: Judge][] = [
    ["version", judgeVersion],
    ["rights", judgeRights],
    ["namespaces", judgeNamespace],
    ["storage classes", judgeStorageClass],
    ["volumes", judgeVolumes],
    ["PersistentVolumes", judgeWrittenVolumes],
    ["priority classes", judgePriorityClass],
    ["nodes", judgeNodes],
    ["Services", judgeNodePorts],
    ["ingress classes", judgeIngressClass],
    ["address family", judgeAddressFamily],
  ];
  const found = await Promise.all(judges.map(([what, judge]) => whereAllowed(what, judge, client, needs)));
  return found.flat();
}

type Judge = (client: KubeClient, needs: HostClusterNeeds) => Promise<Finding[]>;

/** What a judge finds, or that it may not look. */
async function whereAllowed(what: string, judge: Judge, client: KubeClient, needs: HostClusterNeeds) {
  try {
    return await judge(client, needs);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return [warning("namespace", `the ${what} of the host cluster cannot be looked at: ${messageOf(error)}`)];
  }
}
