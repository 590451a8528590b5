import { claimsOf } from "../jwt.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { clusterNamespace, paths, tokenMade } from "./names.ts";
import { readyCondition } from "./registration.ts";

/** A member as the control plane now sees it. */
export interface MemberStatus {
  readonly name: string;
  /** `Push` or `Pull`. */
  readonly mode: string;
  /** For instance `v1.35.3`; empty until Karmada has looked. */
  readonly version: string;
  readonly ready: "True" | "False" | "Unknown";
  /** Karmada's reason, for instance `ClusterNotReachable`; its explanation is in `message`. */
  readonly reason: string;
  readonly message: string;
  /** Absent until Karmada has counted them. */
  readonly nodes?: { readonly ready: number; readonly total: number };
  /** What its nodes have for workloads, by resource, as Kubernetes quantities. Absent until Karmada has counted. */
  readonly allocatable?: Readonly<Record<string, string>>;
  /** Version of its karmada-agent; absent in Push mode. */
  readonly agent?: string;
  /** When Ready last changed, RFC 3339. */
  readonly since?: string;
  /** When the credentials of Karmada or the agent expire, RFC 3339; absent when they do not. */
  readonly credentialExpires?: string;
  /** When the token with which the control plane reaches it was made, RFC 3339. */
  readonly credentialSince?: string;
}

/**
 * The members of a plane, in the order of their names.
 * @param declared names that ought to be there: missing ones are reported too
 * @param certificates ends of certificates by name, as the stack's output has them
 * @param versions those of programs by name, as the stack's output has them
 */
export async function readMembers(
  plane: KubeClient,
  declared: readonly string[],
  certificates: Readonly<Record<string, string>>,
  versions: Readonly<Record<string, string>> = {},
): Promise<MemberStatus[]> {
  const [clusters, secrets] = await Promise.all([
    plane.get<{ items: KubeObject[] }>(paths.clusters),
    plane.get<{ items: KubeObject[] }>(`${paths.namespace(clusterNamespace)}/secrets`),
  ]);
  const secretOf = new Map(secrets.items.map((secret) => [secret.metadata?.name, secret]));
  const found = clusters.items.map((cluster) => {
    const name = cluster.metadata?.name ?? "";
    const secret = secretOf.get(name);
    const pulled = cluster.spec?.syncMode === "Pull";
    const end = pulled ? certificates[`agent-${name}`] : endOfToken(String(secret?.data?.token ?? ""));
    const since = secret?.metadata?.annotations?.[tokenMade];
    const agent = pulled ? versions[`${name}-karmada-agent`] : undefined;
    return {
      ...memberStatus(cluster, end),
      ...(agent !== undefined && { agent }),
      ...(since !== undefined && { credentialSince: since }),
    };
  });
  const missing = declared.filter((name) => !found.some((member) => member.name === name)).map(unregistered);
  return [...found, ...missing].sort((a, b) => a.name.localeCompare(b.name));
}

/** The status in a Cluster. */
export function memberStatus({ metadata, spec, status }: KubeObject, credentialExpires?: string): MemberStatus {
  const verdict = readyCondition({ status });
  const leaving = metadata?.deletionTimestamp !== undefined;
  const { totalNum, readyNum = 0 } = status?.nodeSummary ?? {};
  const allocatable = status?.resourceSummary?.allocatable as Record<string, string> | undefined;
  return {
    name: metadata?.name ?? "",
    mode: spec?.syncMode ?? "",
    version: status?.kubernetesVersion ?? "",
    ready: (verdict?.status as MemberStatus["ready"] | undefined) ?? "Unknown",
    reason: leaving ? "Leaving" : (verdict?.reason ?? "NotLookedAt"),
    message: verdict?.message ?? "Karmada has not looked at it yet",
    ...(totalNum !== undefined && { nodes: { ready: readyNum, total: totalNum } }),
    ...(allocatable !== undefined && { allocatable }),
    ...(verdict?.lastTransitionTime !== undefined && { since: verdict.lastTransitionTime }),
    ...(credentialExpires !== undefined && { credentialExpires }),
  };
}

const unregistered = (name: string): MemberStatus => ({
  name,
  mode: "",
  version: "",
  ready: "False",
  reason: "NotRegistered",
  message: "the control plane has no Cluster of this name; the next up joins it",
});

/** The `exp` of a token in a secret; those of Karmada's accounts have none. */
function endOfToken(base64: string): string | undefined {
  const { exp } = claimsOf(Buffer.from(base64, "base64").toString()) ?? {};
  return typeof exp === "number" ? new Date(exp * 1000).toISOString() : undefined;
}
