import type { KubeObject } from "../kube/client.ts";
import { memberStatus } from "./status.ts";

/** The state of a member when last observed. It changes by itself, and is never a difference. */
export interface Seen {
  /** Karmada's reason for being Ready or not, for instance `ClusterReady`. */
  readonly readyReason: string;
  /** When Ready last changed, RFC 3339. */
  readonly readySince?: string;
  /** Absent until Karmada has counted them. */
  readonly nodes?: { readonly ready: number; readonly total: number };
  /** What its nodes have for workloads, by resource, as Kubernetes quantities. Absent until Karmada has counted. */
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
