import * as pulumi from "@pulumi/pulumi";
import type { Seen } from "../lib/members/seen.ts";
import type { ClusterRegistration } from "../providers/cluster-registration.ts";
import type { PulledMember } from "../providers/pulled-member.ts";
import type { MemberArgs } from "./member-args.ts";

/**
 * The reported state of a member. The cluster's own properties, its version and those in {@link Seen}, are as of when
 * the member was joined, changed or refreshed: looking on each `up` would make each one a change.
 */
export interface MemberState extends Partial<Seen> {
  readonly name: string;
  readonly syncMode: string;
  /** Why it joined in this mode. */
  readonly modeReason: string;
  readonly kubernetesVersion: string;
  readonly ready: boolean;
  readonly apiEndpoint: string;
  /** UID of its kube-system namespace, which identifies the cluster. */
  readonly uid: string;
  /** When the token with which the control plane reaches it was made, RFC 3339. */
  readonly credentialSince?: string;
  /** When the certificate of its agent ends, RFC 3339; absent in Push mode, where the token has no end. */
  readonly credentialExpires?: string;
  /** Version of its agent; absent in Push mode. */
  readonly agentVersion?: string;
}

/** Facts about a member's agent; undefined in Push mode. */
export interface AgentFacts {
  readonly version: pulumi.Output<string> | undefined;
  readonly expires: pulumi.Output<string | undefined> | undefined;
}

/** @param verdict the resource that found it Ready */
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

/** Without undefined values. */
function known<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
