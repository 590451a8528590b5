import type * as pulumi from "@pulumi/pulumi";
import type { TokenHolders } from "../lib/members/handover.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface WaysInUseInputs {
  /** How the control plane reaches each member, by its name: another text when endpoint, authority or proxy are others. Secret. */
  readonly ways: Record<string, string>;
  /** Programs that have read a way once, as they have its token. Secret. */
  readonly holders: TokenHolders;
}

const provider = forwarding("ways-in-use-impl");

/**
 * That the programs of a control plane go by the ways to its members that hold now. Karmada goes on watching a member by the
 * endpoint and the authority it has read first (karmada-io/karmada#7562): where another one is given, they start again, once
 * for all members. Deleting it does nothing.
 */
export class WaysInUse extends DynamicResource<WaysInUseInputs> {
  constructor(name: string, args: AsInputs<WaysInUseInputs>, opts?: pulumi.CustomResourceOptions) {
    super(
      provider,
      { module: "members", type: "WaysInUse", outputs: [], secretInputs: ["ways", "holders"] },
      name,
      args,
      opts,
    );
  }
}
