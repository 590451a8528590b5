import type * as pulumi from "@pulumi/pulumi";
import type { SelectedKind } from "../spec/policies/selected-kinds.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface MemberApisInputs {
  /**
   * Kubeconfig of an administrator of each member, by the member's name; individually secret. None of them is in the
   * state.
   */
  readonly kubeconfigs: Readonly<Record<string, string>>;
  /** What is placed in members. */
  readonly selected: readonly SelectedKind[];
  /** Version of Karmada. */
  readonly karmada: string;
}

const provider = forwarding("member-apis-impl");

/**
 * A check of what members serve. It makes nothing and refuses nothing: each preview and `up` warns of kinds that
 * policies and addons place in a member that does not serve them, and of members with a version that Karmada is not
 * tested with.
 */
export class MemberApis extends DynamicResource<MemberApisInputs> {
  constructor(name: string, args: AsInputs<MemberApisInputs>, opts?: pulumi.CustomResourceOptions) {
    super(provider, { module: "members", type: "MemberApis", outputs: [] }, name, args, opts);
  }
}
