import type { KubeClient, KubeObject } from "../kube/client.ts";
import { paths } from "./names.ts";

/** A policy that places nothing any more once clusters have left. */
export interface StrandedPolicy {
  /** For instance `PropagationPolicy default/web`. */
  readonly policy: string;
  /** The clusters that leave it with none. */
  readonly clusters: readonly string[];
}

/**
 * Finds the policies on a plane that name, of the clusters it has, none but those that leave: what they have placed would be
 * deleted there, and placed nowhere. A policy that chooses by labels or fields alone may find other clusters, and counts as
 * one that does.
 */
export async function strandedPolicies(
  plane: KubeClient,
  leaving: readonly string[],
  call: { readonly timeout?: number } = {},
): Promise<StrandedPolicy[]> {
  const list = (path: string) => plane.get<{ items: KubeObject[] }>(path, call).then(({ items }) => items);
  const [clusters, ...policies] = await Promise.all([
    list(paths.clusters),
    list(`${policyApi}/propagationpolicies`),
    list(`${policyApi}/clusterpropagationpolicies`),
  ]);
  const there = clusters.map(({ metadata }) => metadata?.name ?? "");
  return policies.flat().flatMap((policy) => {
    const lost = lostBy(policy, there, leaving);
    return lost.length === 0 ? [] : [{ policy: titleOf(policy), clusters: lost }];
  });
}

const policyApi = "/apis/policy.karmada.io/v1alpha1";

/** How a policy is called in messages. */
export function titleOf({ kind, metadata }: KubeObject): string {
  const namespace = metadata?.namespace;
  const name = metadata?.name ?? "";
  // Items of a list do not say their kind.
  const type = kind ?? (namespace === undefined ? "ClusterPropagationPolicy" : "PropagationPolicy");
  return namespace === undefined ? `${type} ${name}` : `${type} ${namespace}/${name}`;
}

interface Affinity {
  readonly clusterNames?: readonly string[];
  readonly exclude?: readonly string[];
}

/** Those that leave of the clusters a policy names, when it names no other that is there. */
function lostBy({ spec }: KubeObject, there: readonly string[], leaving: readonly string[]): string[] {
  const { clusterAffinity, clusterAffinities } = (spec?.placement ?? {}) as {
    readonly clusterAffinity?: Affinity;
    readonly clusterAffinities?: readonly Affinity[];
  };
  const terms = clusterAffinities ?? (clusterAffinity === undefined ? [] : [clusterAffinity]);
  const named = terms.map(({ clusterNames = [], exclude = [] }) =>
    clusterNames.length === 0
      ? undefined
      : clusterNames.filter((name) => there.includes(name) && !exclude.includes(name)),
  );
  const chosen = named.flatMap((names) => names ?? []);
  const keeps = named.some((names) => names === undefined || names.some((name) => !leaving.includes(name)));
  return keeps ? [] : [...new Set(chosen)];
}
