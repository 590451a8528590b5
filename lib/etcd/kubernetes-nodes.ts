import { nodeProvisioner } from "../host-cluster/node-provisioner.ts";
import type { Toleration } from "../host-cluster/needs.ts";
import { type Node, nodesWith, takes, whyNone } from "../host-cluster/schedulable.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { isForbidden } from "../kube/error.ts";
import { notes, type PreparedMember } from "./kubernetes-member.ts";

/** Nodes that can take a member's pod; or, when there are none, why, in words. */
export async function nodesFor(
  client: KubeClient,
  { template }: PreparedMember,
): Promise<{ readonly nodes: readonly Node[]; readonly why: string }> {
  const { nodeSelector = {}, tolerations = [] } = template["spec"] as Scheduling;
  const all = await nodesWith(client, nodeSelector);
  return { nodes: all.filter((node) => takes(node, tolerations)), why: whyNone(all, { nodeSelector, tolerations }) };
}

/** What to do about {@link nodesFor} being none. */
export const lookAtNodes = "look at placement.nodeSelector and placement.tolerations, and for a node that is cordoned";

/**
 * Refuses to end a running pod for one that no node would take. Where something provisions nodes for pods, it may make
 * one; and nothing is refused if the user may not list nodes.
 *
 * @param claim that of the data; a directory of a node binds the pod to that one
 * @throws when no node takes it
 */
export async function refuseWithoutNode(
  client: KubeClient,
  member: string,
  prepared: PreparedMember,
  claim: KubeObject,
): Promise<void> {
  const bound = claim.metadata?.annotations?.[notes.node];
  const found = await nodesFor(client, prepared).catch(unlessForbidden);
  if (found === undefined) return;
  const { nodes, why } = found;
  if (nodes.some(({ metadata }) => bound === undefined || metadata?.name === bound)) return;
  if (bound === undefined && (await nodeProvisioner(client)) !== undefined) return;
  const nowhere = nodes.length === 0 ? why : `its data are a directory of ${bound}, which does not`;
  throw new Error(`${leftRunning(member)}: no node takes a pod in its place: ${nowhere}\n${lookAtNodes}`);
}

export const leftRunning = (member: string): string => `${member}: left running as it is`;

function unlessForbidden(error: unknown): undefined {
  if (!isForbidden(error)) throw error;
}

interface Scheduling {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
}
