import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface LoadBalancerAddressInputs {
  /** Of the cluster that has the Service. Secret. */
  readonly kubeconfig: string;
  readonly namespace: string;
  /** A Service of type LoadBalancer. */
  readonly service: string;
  /** Those declared for it: an edit may bring it another address. */
  readonly annotations: Readonly<Record<string, string>>;
  /** How long a cloud may take to make it. */
  readonly timeoutSeconds: number;
  /** Not declared: the address it has now, so that a preview knows it. Absent before there is one. */
  readonly address?: string;
}

export interface LoadBalancerAddressOutputs {
  /** Address or name that it was assigned, the first if it has several. */
  readonly address: string;
}

/** Its arguments in a program. */
export type LoadBalancerAddressArgs = AsInputs<Omit<LoadBalancerAddressInputs, "address">>;

const provider = forwarding("load-balancer-address-impl");

/**
 * Waits until a load balancer has been made for a Service, and returns its address. Each preview and `up` looks whether
 * it is another one by now. Deleting it does nothing.
 */
export class LoadBalancerAddress extends DynamicResource<LoadBalancerAddressInputs> {
  declare readonly address: pulumi.Output<string>;

  constructor(name: string, args: LoadBalancerAddressArgs, opts?: pulumi.CustomResourceOptions) {
    const type = {
      module: "kubernetes",
      type: "LoadBalancerAddress",
      outputs: ["address"],
      secretInputs: ["kubeconfig"],
    };
    super(provider, type, name, args as never, opts);
  }
}
