import { nodeProvisioner } from "../host-cluster/node-provisioner.ts";
import type { Toleration } from "../host-cluster/needs.ts";
import { type Node, nodesWith, some, takes, whyNone } from "../host-cluster/schedulable.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { unlessForbidden } from "../kube/error.ts";
import type { PreparedMember } from "./kubernetes-member.ts";
import { nodesOfOthers, reachOf } from "./kubernetes-reach.ts";

/** Nodes that can take a member's pod; or, when there are none, why, in words. */
export async function nodesFor(
  client: KubeClient,
  prepared: PreparedMember,
): Promise<{ readonly nodes: readonly Node[]; readonly why: string }> {
  const { nodeSelector, tolerations } = schedulingOf(prepared);
  const all = await nodesWith(client, nodeSelector);
  return { nodes: all.filter((node) => takes(node, tolerations)), why: whyNone(all, { nodeSelector, tolerations }) };
}

/** What to do about {@link nodesFor} being none. */
export const lookAtNodes =
  "look at placement.nodeSelector and placement.tolerations, or those of placement.pods.etcd, and for a node that is cordoned";

/**
 * Refuses to end a running pod for one that no node would take. Where something provisions nodes for pods, it may make
 * one, unless the data are bound to nodes that are there; and nothing is refused if the user may not list nodes.
 *
 * @param claim that of the data
 * @throws when no node takes it
 */
export async function refuseWithoutNode(
  client: KubeClient,
  namespace: string,
  member: string,
  prepared: PreparedMember,
  claim: KubeObject,
): Promise<void> {
  const { nodeSelector, tolerations } = schedulingOf(prepared);
  const all = await nodesWith(client, nodeSelector).catch(unlessForbidden);
  if (all === undefined) return;
  const [reach, taken] = await Promise.all([
    reachOf(client, claim),
    nodesOfOthers(client, namespace, member, prepared),
  ]);
  const within = all.filter(reach.has);
  if (within.some((node) => takes(node, tolerations) && !taken.has(nameOf(node)))) return;
  if (!reach.isFixed && (await nodeProvisioner(client)) !== undefined) return;
  const data = `${reach.of} is within reach of`;
  const why =
    within.length === 0 && all.length > 0
      ? `${data} none of ${some(all.map(nameOf))}`
      : whyNone(within, { nodeSelector, tolerations }, taken) +
        (within.length < all.length ? `, and ${data} no other` : "");
  throw new Error(`${leftRunning(member)}: no node takes a pod in its place: ${why}\n${lookAtNodes}`);
}

export const leftRunning = (member: string): string => `${member}: left running as it is`;

const nameOf = ({ metadata }: Node): string => metadata?.name ?? "";

function schedulingOf({ template }: PreparedMember): Scheduling {
  const { nodeSelector = {}, tolerations = [] } = template["spec"] as Partial<Scheduling>;
  return { nodeSelector, tolerations };
}

interface Scheduling {
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
}
