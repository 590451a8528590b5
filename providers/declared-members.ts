import type * as pulumi from "@pulumi/pulumi";
import type { Declarer } from "../lib/members/declarer.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface DeclaredMembersInputs {
  /** Names of the members, without those with `handOver`. */
  readonly members: string[];
  /** Who declares them. Absent in the state of older releases. */
  readonly declaredBy: Declarer;
  /** Members that may leave although policies name no other cluster. */
  readonly mayLeave: string[];
  /** Members in which what was propagated stays when they leave. @default none */
  readonly preserved?: string[];
  /**
   * Digests of where the given kubeconfigs of members lead, by name. Secret: a proxy's password could be guessed from
   * one. @default none is known
   */
  readonly kubeconfigs?: Record<string, string>;
  /** Policies declared together with the members, such as `PropagationPolicy default/web`: their future is known. */
  readonly policies: string[];
  /** Kubeconfig of a Karmada administrator. */
  readonly karmadaKubeconfig: string;
}

const provider = forwarding("declared-members-impl");

/**
 * The list of members that a stack declares. It makes nothing. In the preview it refuses joining members that another
 * stack has, and a new name for a cluster that has already joined under another. It also refuses the leaving of members
 * without which policies on the plane would have no cluster left; an `up` refuses the same before anything is deleted.
 */
export class DeclaredMembers extends DynamicResource<DeclaredMembersInputs> {
  constructor(name: string, args: AsInputs<DeclaredMembersInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = { outputs: [], secretInputs: ["kubeconfigs", "karmadaKubeconfig"] };
    super(provider, { module: "members", type: "DeclaredMembers", ...type }, name, args, opts);
  }
}
