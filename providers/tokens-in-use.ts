import type * as pulumi from "@pulumi/pulumi";
import type { TokenHolders } from "../lib/members/handover.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface TokensInUseInputs {
  /** When the token of each member was made that the control plane has now, RFC 3339, by the member's name. */
  readonly tokens: Record<string, string>;
  /** Of an administrator of the Karmada API. */
  readonly karmadaKubeconfig: string;
  /** Programs that have read a token once. Secret. */
  readonly tokenHolders: TokenHolders;
}

const provider = forwarding("tokens-in-use-impl");

/**
 * That the programs of a control plane use the tokens it has been given: they start again, and then it is noted beside each token,
 * so that who has made it may revoke the one before. Deleting it does nothing.
 */
export class TokensInUse extends DynamicResource<TokensInUseInputs> {
  constructor(name: string, args: AsInputs<TokensInUseInputs>, opts?: pulumi.CustomResourceOptions) {
    const secretInputs = ["karmadaKubeconfig", "tokenHolders"];
    super(provider, { module: "members", type: "TokensInUse", outputs: [], secretInputs }, name, args, opts);
  }
}
