import type * as pulumi from "@pulumi/pulumi";
import type { Declarer } from "../lib/members/declarer.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface DeclaredMembersInputs {
  /** Names of the members, without those that are let go of. */
  readonly members: string[];
  /** Who declares them. Absent in the state of older releases. */
  readonly declaredBy: Declarer;
  /** Members that may leave although policies name no other cluster. */
  readonly mayLeave: string[];
  /** Members in which what was propagated stays when they leave. @default none */
  readonly preserved?: string[];
  /** Digests of where the kubeconfigs of those members lead that are given, by name. Secret: a proxy's password may be guessed by one. @default none is known */
  readonly kubeconfigs?: Record<string, string>;
  /** Policies that are declared with the members, such as `PropagationPolicy default/web`: what becomes of those is known. */
  readonly policies: string[];
  /** Of an administrator of the Karmada API. */
  readonly karmadaKubeconfig: string;
}

const provider = forwarding("declared-members-impl");

/**
 * The list of members that a stack declares. It makes nothing. It knows which of them come, and refuses in the preview those
 * that another stack has, and a new name for a cluster that is there under another; it knows which of them leave, looks on the
 * plane for policies that would have no cluster left, and refuses that in the preview, as an `up` does before anything is
 * deleted.
 */
export class DeclaredMembers extends DynamicResource<DeclaredMembersInputs> {
  constructor(name: string, args: AsInputs<DeclaredMembersInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = { outputs: [], secretInputs: ["kubeconfigs", "karmadaKubeconfig"] };
    super(provider, { module: "members", type: "DeclaredMembers", ...type }, name, args, opts);
  }
}
