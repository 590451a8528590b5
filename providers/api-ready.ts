import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

/** A kubeconfig that is not passed on before its server answers. */
export interface ApiReadyInputs {
  /** Kubeconfig of a Kubernetes API server that is starting. */
  readonly kubeconfig: string;
  /** How long the server may take to be ready. */
  readonly timeoutSeconds: number;
}

export interface ApiReadyOutputs {
  /** Kubeconfig as it was given, once the server is ready. Secret. */
  readonly kubeconfig: string;
}

const provider = forwarding("api-ready-impl");

/**
 * Waits until an API server reports ready (`/readyz`), then passes on its kubeconfig: whatever takes the kubeconfig
 * from here needs no other dependency. Deleting it does nothing.
 */
export class ApiReady extends DynamicResource<ApiReadyInputs> {
  declare readonly kubeconfig: pulumi.Output<string>;

  constructor(name: string, args: AsInputs<ApiReadyInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = { module: "kube", type: "ApiReady", outputs: ["kubeconfig"], secretInputs: ["kubeconfig"] };
    super(provider, type, name, args, opts);
  }
}
