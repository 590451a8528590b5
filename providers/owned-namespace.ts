import type * as pulumi from "@pulumi/pulumi";
import { DynamicResource, forwarding } from "./dynamic.ts";

export interface OwnedNamespaceInputs {
  /** Of the host cluster. Secret. */
  readonly kubeconfig: string;
  readonly namespace: string;
  /** Name of the deployment that has the namespace to itself. */
  readonly deployment: string;
  /** NodePorts it will take, by the name of their Service. */
  readonly nodePorts: Readonly<Record<string, readonly number[]>>;
  /** Storage class of its volumes; the default one of the cluster when it is empty; none when it has no volumes. */
  readonly storageClass?: string;
  /** For the namespace to be gone with all that is in it. */
  readonly timeoutSeconds: number;
}

export interface OwnedNamespaceOutputs {
  readonly uid: string;
}

const provider = forwarding("owned-namespace-impl");

/**
 * A namespace of a host cluster that a deployment has to itself. In the preview already the cluster is looked at, and all that
 * speaks against it is said: a namespace that others have, NodePorts that are taken, no storage class. Deleting it deletes
 * everything in it, volumes too, and returns when it is gone.
 */
export class OwnedNamespace extends DynamicResource<OwnedNamespaceInputs> {
  declare readonly namespace: pulumi.Output<string>;
  declare readonly uid: pulumi.Output<string>;

  constructor(
    name: string,
    args: { readonly [K in keyof OwnedNamespaceInputs]: pulumi.Input<OwnedNamespaceInputs[K]> },
    opts?: pulumi.CustomResourceOptions,
  ) {
    const type = {
      module: "kubernetes",
      type: "OwnedNamespace",
      outputs: ["uid"],
      secretInputs: ["kubeconfig"],
    };
    super(provider, type, name, args, opts);
  }
}
