import type { Bootstrap } from "../etcd/runtime/runtime.ts";

/** A member of the restored cluster. */
export interface RestoredMember {
  readonly name: string;
  /** `https://10.0.0.7:2380`. */
  readonly peerUrl: string;
  /** `https://10.0.0.7:2379`. */
  readonly clientUrl: string;
}

/**
 * The token of a restored cluster. Since it is new, it fences off members of the old cluster that come back: with the
 * old token the cluster would have the same ID, and the two would mix. Since it is derived from what is restored, it is
 * the same on every host and in every repetition.
 */
export const tokenOf = (cluster: string, sha256: string, generation: number): string =>
  `${cluster}-${sha256.slice(0, 8)}-g${generation}`;

/** Whether a token is a cluster's first one, or one of {@link tokenOf}. */
export const isTokenOf = (cluster: string, token: string): boolean =>
  token === cluster || (token.startsWith(`${cluster}-`) && /^[0-9a-f]{8}-g\d+$/.test(token.slice(cluster.length + 1)));

/** `etcd-0=https://10.0.0.7:2380,...`, in the order of the names. */
export function initialClusterOf(members: readonly RestoredMember[]): string {
  const sorted = members.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return sorted.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(",");
}

/** What a member with restored data is started with. */
export const bootstrapOf = ({ token, initialCluster, incarnation }: Omit<Bootstrap, "state">): Bootstrap => ({
  token,
  state: "new",
  initialCluster,
  incarnation,
});
