import type * as pulumi from "@pulumi/pulumi";
import type { HostAddress } from "../lib/hosts/address.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

/** A member whose mode follows from networks. */
export interface ReachedMember {
  /** URL of its API server. Absent if only the control plane can reach it, through a proxy. */
  readonly server?: string;
  readonly syncMode: "Push" | "Pull";
  /** Why so. */
  readonly modeReason: string;
  /** Names of the hosts from which something dials it. @default this machine */
  readonly from?: string[];
}

export interface MemberReachInputs {
  /** By name. */
  readonly members: Readonly<Record<string, ReachedMember>>;
  /** Secret. By name. */
  readonly hosts: Readonly<Record<string, HostAddress>>;
}

const provider = forwarding("member-reach-impl");

/**
 * A check whether members can be reached from where they are dialled, as the declared networks imply. It makes nothing
 * and refuses nothing: each preview and `up` warns of what it finds to be different.
 */
export class MemberReach extends DynamicResource<MemberReachInputs> {
  constructor(name: string, args: AsInputs<MemberReachInputs>, opts?: pulumi.CustomResourceOptions) {
    super(provider, { module: "members", type: "MemberReach", outputs: [], secretInputs: ["hosts"] }, name, args, opts);
  }
}
