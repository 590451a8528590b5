import type { KubeClient } from "../kube/client.ts";
import { error, type Finding, type HostClusterNeeds, type PodNeeds, warning } from "./needs.ts";
import { nodeProvisioner } from "./node-provisioner.ts";
import { isLinux, type Node, nodesWith, obstacle, takes, whyNone } from "./schedulable.ts";

/**
 * Finds too few nodes for the pods. Where nodes are provisioned for pods it only warns: a cluster may have none yet.
 * Directories of nodes are chosen among existing ones.
 */
export async function judgeNodes(
  client: KubeClient,
  { pods, otherPods = [], hostPath = false }: Pick<HostClusterNeeds, "pods" | "otherPods" | "hostPath">,
): Promise<Finding[]> {
  const all = [pods, ...otherPods];
  const ofEtcd = all.find(({ program }) => program === "etcd") ?? all.find(({ program }) => program === undefined);
  const found = await Promise.all(all.map((each) => judgeNodesOf(client, each, hostPath && each === ofEtcd)));
  return found.flat();
}

/** @param hostPath whether directories of these nodes hold data */
async function judgeNodesOf(client: KubeClient, pods: PodNeeds, hostPath: boolean): Promise<Finding[]> {
  const items = await nodesWith(client, pods.nodeSelector);
  const taking = items.filter((node) => takes(node, pods.tolerations));
  const findings =
    taking.length === 0
      ? [error("pods", `no node takes ${title(pods)}: ${whyNone(items, pods)}`)]
      : [...judgeOthers(items, pods), ...judgeCount(taking.length, pods)];
  if (hostPath || !findings.some(({ severity }) => severity === "error")) return findings;
  const provisioner = await nodeProvisioner(client);
  if (provisioner === undefined) return findings;
  return findings.map((finding) =>
    finding.severity === "error" ? warning("pods", `${finding.message}; ${provisioner} may make some`) : finding,
  );
}

const title = ({ program }: PodNeeds): string => (program === undefined ? "the pods" : `the pods of ${program}`);

/** Finds nodes that cannot run such programs, but to which the scheduler would assign pods all the same. */
function judgeOthers(nodes: readonly Node[], pods: PodNeeds): Finding[] {
  const open = nodes.find((node) => !isLinux(node) && obstacle(node, pods.tolerations) === undefined);
  if (open === undefined) return [];
  const where = pods.program === undefined ? "nodeSelector" : `placement.pods.${pods.program}.nodeSelector`;
  const message = `${open.metadata?.name} is no Linux, and no taint keeps pods away that cannot run there: want "kubernetes.io/os: linux" in ${where}`;
  return [warning("pods", message)];
}

/** Finds fewer nodes than pods that want one each. */
function judgeCount(taking: number, pods: PodNeeds): Finding[] {
  return Object.entries(pods.apart).flatMap(([kind, count]) => {
    if (count <= taking) return [];
    const nodes = `${count} pods of ${kind}, and ${taking} ${taking === 1 ? "node" : "nodes"} for them`;
    if (pods.required) return [error("pods", `${nodes}, want ${count} nodes, or placement.antiAffinity "preferred"`)];
    // For other programs, one that is left is enough.
    if (!/^etcd\b/.test(kind)) return [];
    return [warning("pods", `${nodes}: some share one, and with it a majority may be gone`)];
  });
}
