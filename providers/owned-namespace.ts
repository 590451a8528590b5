import type * as pulumi from "@pulumi/pulumi";
import type { HostClusterNeeds } from "../lib/host-cluster/needs.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface OwnedNamespaceInputs extends HostClusterNeeds {
  /** Kubeconfig of the host cluster. Secret. */
  readonly kubeconfig: string;
  /**
   * The `clusterIdentifier` of the Pulumi provider of its objects. Absent in the state of older releases, whose objects
   * a change of address would replace.
   */
  readonly clusterIdentifier?: string;
  /** For the namespace to be gone with everything in it. */
  readonly timeoutSeconds: number;
}

export interface OwnedNamespaceOutputs {
  readonly uid: string;
}

const provider = forwarding("owned-namespace-impl");

/**
 * A namespace of a host cluster that a deployment has to itself. Already in the preview the cluster is checked, and all
 * problems are reported: its version, rights that are missing, a namespace that belongs to others, no storage or
 * priority class, too few nodes, NodePorts that are taken, Ingresses whose TLS would not be passed through. Deleting it
 * deletes everything in it, volumes too, and returns when it is gone.
 */
export class OwnedNamespace extends DynamicResource<OwnedNamespaceInputs> {
  declare readonly namespace: pulumi.Output<string>;
  declare readonly uid: pulumi.Output<string>;

  constructor(name: string, args: AsInputs<OwnedNamespaceInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = {
      module: "kubernetes",
      type: "OwnedNamespace",
      outputs: ["uid"],
      secretInputs: ["kubeconfig"],
    };
    super(provider, type, name, args, opts);
  }
}
