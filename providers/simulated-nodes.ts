import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface SimulatedNodesInputs {
  /** Kubeconfig of a cluster in which KWOK runs. */
  readonly kubeconfig: string;
  /** Name of that cluster. */
  readonly cluster: string;
  /** How many nodes, named `<cluster>-node-0` and on. */
  readonly count: number;
  /** Resources of each node, as Kubernetes quantities: `"32"`, `"256Gi"`, `"110"`. */
  readonly cpu: string;
  readonly memory: string;
  readonly pods: string;
  /** How long all may take to be Ready. */
  readonly timeoutSeconds: number;
}

export interface SimulatedNodesOutputs {
  readonly nodes: string[];
}

const provider = forwarding("simulated-nodes-impl");

/** Nodes that exist only in the API: KWOK simulates their kubelets. Deleting it deletes them. */
export class SimulatedNodes extends DynamicResource<SimulatedNodesInputs> {
  declare readonly nodes: pulumi.Output<string[]>;

  constructor(name: string, args: AsInputs<SimulatedNodesInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = { outputs: ["nodes"], secretInputs: ["kubeconfig"], deleteBeforeReplace: true };
    super(provider, { module: "kube", type: "SimulatedNodes", ...type }, name, args, opts);
  }
}
