import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface AcceptedPoliciesInputs {
  /** Objects of Karmada's API as they are about to be written. */
  readonly objects: readonly DeclaredObject[];
  /** Kubeconfig of a Karmada administrator. */
  readonly karmadaKubeconfig: string;
}

export interface DeclaredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

const provider = forwarding("accepted-policies-impl");

/**
 * Policies that the Karmada API would accept. It makes nothing: it has the API dry-run new and changed ones, and
 * reports in the preview what Karmada's webhooks object to, such as a script that is not valid Lua. The kubernetes
 * provider dry-runs them too, but ignores "forbidden", which is how webhooks refuse. Before there is an API it reports
 * nothing.
 */
export class AcceptedPolicies extends DynamicResource<AcceptedPoliciesInputs> {
  constructor(name: string, args: AsInputs<AcceptedPoliciesInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = { outputs: [], secretInputs: ["karmadaKubeconfig"] };
    super(provider, { module: "policies", type: "AcceptedPolicies", ...type }, name, args, opts);
  }
}
