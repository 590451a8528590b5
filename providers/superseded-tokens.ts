import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";
import type { MemberAccessInputs } from "./member-access.ts";

export interface SupersededTokensInputs {
  /** The member's name in Karmada. Changing it replaces. */
  readonly cluster: string;
  /** Purpose of the account whose tokens they are. Changing it replaces. */
  readonly purpose: MemberAccessInputs["purpose"];
  /** Kubeconfig of an administrator of the member. */
  readonly memberKubeconfig: string;
  /** Kubeconfig of the account with the token in use. */
  readonly kubeconfig: string;
  /** How long it may take until the member refuses the others. */
  readonly timeoutSeconds: number;
}

export interface SupersededTokensOutputs {
  /** When the token in use was made, RFC 3339. */
  readonly since: string;
}

const provider = forwarding("superseded-tokens-impl");

/**
 * Revokes tokens that MemberAccess made before the one in use. It depends on the program that uses that one, so that no
 * token still in use is revoked. Deleting it does nothing.
 */
export class SupersededTokens extends DynamicResource<SupersededTokensInputs> {
  declare readonly since: pulumi.Output<string>;

  constructor(name: string, args: AsInputs<SupersededTokensInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = { outputs: ["since"], secretInputs: ["memberKubeconfig", "kubeconfig"] };
    super(provider, { module: "members", type: "SupersededTokens", ...type }, name, args, opts);
  }
}
