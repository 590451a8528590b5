import type { KubeClient, KubeObject } from "../kube/client.ts";
import { objectTitle } from "../kube/object-title.ts";
import { paths } from "./names.ts";

/** A policy that no longer places anything once clusters have left. */
export interface StrandedPolicy {
  /** For instance `PropagationPolicy default/web`. */
  readonly policy: string;
  /** The leaving clusters, without which it has none. */
  readonly clusters: readonly string[];
}

/**
 * Finds the policies on a plane that name, of its clusters, only leaving ones: what they have placed would be deleted
 * there, and placed nowhere. A policy that chooses by labels or fields alone may find other clusters, and is taken to
 * do so.
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

/** The name of a policy in messages. */
function titleOf({ kind, metadata: { namespace, name = "" } = {} }: KubeObject): string {
  // Items of a list have no kind.
  const type = kind ?? (namespace === undefined ? "ClusterPropagationPolicy" : "PropagationPolicy");
  return objectTitle({ kind: type, namespace, name });
}

interface Affinity {
  readonly clusterNames?: readonly string[];
  readonly exclude?: readonly string[];
}

/** The leaving clusters a policy names, if it names no other existing one. */
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
