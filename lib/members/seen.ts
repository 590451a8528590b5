import type { KubeObject } from "../kube/client.ts";
import { memberStatus } from "./status.ts";

/** What a member was like when somebody looked. It moves by itself, and is never a difference. */
export interface Seen {
  /** Karmada's word for why it is Ready or not, for instance `ClusterReady`. */
  readonly readyReason: string;
  /** When Ready became what it is, RFC 3339. */
  readonly readySince?: string;
  /** Absent until Karmada has counted them. */
  readonly nodes?: { readonly ready: number; readonly total: number };
  /** What its nodes have for workloads, by the resource, as Kubernetes writes amounts. Absent until Karmada has counted. */
  readonly allocatable?: Readonly<Record<string, string>>;
}

/** That of a Cluster. */
export function seenOf(cluster: KubeObject): Seen {
  const { reason, since, nodes, allocatable } = memberStatus(cluster);
  return {
    readyReason: reason,
    ...(since !== undefined && { readySince: since }),
    ...(nodes !== undefined && { nodes }),
    ...(allocatable !== undefined && { allocatable }),
  };
}
