import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface ApiGateInputs {
  /** Kubeconfig for the Karmada API, with the right to list clusters and to create policies. */
  readonly kubeconfig: string;
  /** How long the Karmada API may take to work. */
  readonly timeoutSeconds: number;
}

export interface ApiGateOutputs {
  /** Kubeconfig for the Karmada API as it was given, once the API works. Secret. */
  readonly kubeconfig: string;
}

const provider = forwarding("api-gate-impl");

/**
 * Passes when the Karmada API really works: clusters are listed, which the aggregated API server answers, and a policy is
 * accepted in a dry run, which takes the API server, the CRDs and the webhook. (An APIService that is "Available" proves
 * neither.) Deleting it does nothing.
 */
export class ApiGate extends DynamicResource<ApiGateInputs> {
  declare readonly kubeconfig: pulumi.Output<string>;

  constructor(name: string, args: AsInputs<ApiGateInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = { module: "kube", type: "ApiGate", outputs: ["kubeconfig"], secretInputs: ["kubeconfig"] };
    super(provider, type, name, args, opts);
  }
}
