import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface LoadBalancerAddressInputs {
  /** Kubeconfig of the cluster that has the Service. Secret. */
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
  /** Not declared: all it has now, of which that is one. Absent like it, where none is seen, and in the state of older releases. */
  readonly addresses?: readonly string[];
}

export interface LoadBalancerAddressOutputs {
  /** Address or name that it was assigned: of several the first, for as long as it is among them. */
  readonly address: string;
}

/** Its arguments in a program. */
export type LoadBalancerAddressArgs = AsInputs<Omit<LoadBalancerAddressInputs, "address" | "addresses">>;

const provider = forwarding("load-balancer-address-impl");

/**
 * Waits until a load balancer has been made for a Service, and returns its address. Each preview and `up` looks whether
 * that still leads there, and goes on with another one where it does not. Deleting it does nothing.
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
