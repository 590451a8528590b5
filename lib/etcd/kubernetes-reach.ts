import type { Node } from "../host-cluster/schedulable.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { unlessForbidden } from "../kube/error.ts";
import { listsNodes, type NodeSelector, selects } from "../kube/node-selector.ts";
import { namespacedPath } from "../kube/paths.ts";
import { hasEnded } from "../kube/pod.ts";
import { notes, podName, type PreparedMember } from "./kubernetes-member.ts";

/** The nodes on which a pod can have the data of a member. */
export interface Reach {
  readonly has: (node: Node) => boolean;
  /** Whether no node that is made later is among them. */
  readonly isFixed: boolean;
  /** What they are the nodes of, in words. */
  readonly of: string;
}

/** @param claim that of the data; its volume goes unheeded if there is none yet, or the user may not read it */
export async function reachOf(client: KubeClient, { metadata, spec }: KubeObject): Promise<Reach> {
  const bound = metadata?.annotations?.[notes.node];
  if (bound !== undefined) {
    return { has: (node) => node.metadata?.name === bound, isFixed: true, of: "the directory with its data" };
  }
  const name = spec?.volumeName as string | undefined;
  if (name === undefined) return everywhere;
  const volume = await client.find(`/api/v1/persistentvolumes/${name}`).catch(unlessForbidden);
  const required = volume?.["spec"]?.nodeAffinity?.required as NodeSelector | undefined;
  if (required === undefined) return everywhere;
  return { has: (node) => selects(required, node), isFixed: listsNodes(required), of: `its volume ${name}` };
}

const everywhere: Reach = { has: () => true, isFixed: false, of: "its volume" };

/** Nodes that have the pod of another member, by name, with that pod; none where members may share one. */
export async function nodesOfOthers(
  client: KubeClient,
  namespace: string,
  member: string,
  { template }: PreparedMember,
): Promise<ReadonlyMap<string, string>> {
  const terms = ((template["spec"] as Apart).affinity?.podAntiAffinity?.[required] ?? []).filter(
    ({ topologyKey }) => topologyKey === "kubernetes.io/hostname",
  );
  const lists = await Promise.all(
    terms.map(async ({ labelSelector: { matchLabels } }) => {
      const query = {
        labelSelector: Object.entries(matchLabels)
          .map((each) => each.join("="))
          .join(","),
      };
      return client.get<{ items: KubeObject[] }>(namespacedPath(namespace, "pods"), { query }).catch(unlessForbidden);
    }),
  );
  const others = lists
    .flatMap((list) => list?.items ?? [])
    .filter((pod) => pod.metadata?.name !== podName(member) && stays(pod));
  return new Map(others.map(({ metadata, spec }) => [spec?.nodeName as string, metadata?.name ?? ""]));
}

const stays = (pod: KubeObject): boolean => !hasEnded(pod) && pod.metadata?.deletionTimestamp === undefined;

const required = "requiredDuringSchedulingIgnoredDuringExecution";

/** How a member's pod is kept from those of others. */
interface Apart {
  readonly affinity?: {
    readonly podAntiAffinity?: {
      readonly [required]?: readonly {
        readonly topologyKey: string;
        readonly labelSelector: { readonly matchLabels: Readonly<Record<string, string>> };
      }[];
    };
  };
}
