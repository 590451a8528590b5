import type * as pulumi from "@pulumi/pulumi";
import type { TokenHolders } from "../lib/members/token-holders.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface WaysInUseInputs {
  /**
   * How the control plane reaches each member, or its estimator, by the member's name: changes with endpoint, authority
   * or proxy. Secret. {@link asBefore} where that is not known.
   */
  readonly ways: Record<string, string>;
  /** Programs that read it only once, like the token. Secret. */
  readonly holders: TokenHolders;
  /** Whether they may know other ways than those with which this is created. */
  readonly mayKnowOthers?: boolean;
}

/** The way to a member that the last run has recorded, if any. */
export const asBefore = "";

const provider = forwarding("ways-in-use-impl");

/**
 * Makes the programs of a control plane use the present endpoints of its members. Karmada keeps watching a member with
 * the endpoint and authority it first read (karmada-io/karmada#7562), and keeps asking an estimator at the address where
 * it first found it: if these change, the programs are restarted, once for all members. Deleting it does nothing.
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
