import * as pulumi from "@pulumi/pulumi";
import type { Seen } from "../lib/members/seen.ts";
import type { ClusterRegistration } from "../providers/cluster-registration.ts";
import type { PulledMember } from "../providers/pulled-member.ts";
import type { MemberArgs } from "./member-args.ts";

/**
 * What is told of a member. What the cluster itself is like, its version and what {@link Seen} has, is as it was when the
 * member was joined, changed or refreshed: looking at each `up` would make each of them a change.
 */
export interface MemberState extends Partial<Seen> {
  readonly name: string;
  readonly syncMode: string;
  /** Why it is joined in this mode. */
  readonly modeReason: string;
  readonly kubernetesVersion: string;
  readonly ready: boolean;
  readonly apiEndpoint: string;
  /** UID of its kube-system namespace: what makes it this cluster and no other. */
  readonly uid: string;
  /** When the token was made by which the control plane reaches it, RFC 3339. */
  readonly credentialSince?: string;
  /** When the certificate of its agent ends, RFC 3339; absent in Push mode, where the token has no end. */
  readonly credentialExpires?: string;
  /** Version of its agent; absent in Push mode. */
  readonly agentVersion?: string;
}

/** What a member's agent is known by; undefined in Push mode. */
export interface AgentFacts {
  readonly version: pulumi.Output<string> | undefined;
  readonly expires: pulumi.Output<string | undefined> | undefined;
}

/** @param verdict what has found it Ready */
export function memberState(
  { name, syncMode, modeReason }: MemberArgs["member"],
  { apiEndpoint, uid, credentialSince }: ClusterRegistration,
  { kubernetesVersion, ready, seen }: ClusterRegistration | PulledMember,
  agent: AgentFacts | undefined,
): pulumi.Output<MemberState> {
  const facts = pulumi.output({ kubernetesVersion, ready, seen, apiEndpoint, uid });
  const optional = pulumi.output({ credentialSince, credentialExpires: agent?.expires, agentVersion: agent?.version });
  return pulumi
    .all([facts, optional])
    .apply(([{ kubernetesVersion: version = "", ready: is = false, ...now }, more]) => ({
      name,
      syncMode,
      modeReason,
      kubernetesVersion: version,
      ready: is,
      apiEndpoint: now.apiEndpoint,
      uid: now.uid,
      ...now.seen,
      ...known(more),
    }));
}

/** What is undefined left out. */
function known<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
