import type * as pulumi from "@pulumi/pulumi";
import type { TokenHolders } from "../lib/members/token-holders.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface TokensInUseInputs {
  /** When the control plane's present token for each member was made, RFC 3339, by the member's name. */
  readonly tokens: Record<string, string>;
  /** When such a token took the place of another one there, RFC 3339, also of a newer one, as after a restore. */
  readonly written?: Record<string, string>;
  /** Kubeconfig of a Karmada administrator. */
  readonly karmadaKubeconfig: string;
  /** Programs that read a token only once. Secret. */
  readonly tokenHolders: TokenHolders;
}

const provider = forwarding("tokens-in-use-impl");

/**
 * Makes the programs of a control plane use the tokens it has been given: they are restarted, and then that is noted
 * beside each token, so that its maker may revoke the previous one. Deleting it does nothing.
 */
export class TokensInUse extends DynamicResource<TokensInUseInputs> {
  constructor(name: string, args: AsInputs<TokensInUseInputs>, opts?: pulumi.CustomResourceOptions) {
    const secretInputs = ["karmadaKubeconfig", "tokenHolders"];
    super(provider, { module: "members", type: "TokensInUse", outputs: [], secretInputs }, name, args, opts);
  }
}
