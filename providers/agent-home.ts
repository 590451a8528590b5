import type * as pulumi from "@pulumi/pulumi";
import type { PodNeeds } from "../lib/host-cluster/needs.ts";
import type { Declarer } from "../lib/members/declarer.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface AgentHomeInputs {
  /** The member's name in Karmada. Changing it replaces. */
  readonly cluster: string;
  /** Namespace in the member. Changing it replaces. */
  readonly namespace: string;
  /** Name of the deployment; with the member's it is written on the namespace, so that nobody else takes it. Changing it replaces. */
  readonly deployment: string;
  /** It stays once another stack declares the member. */
  readonly declaredBy: Declarer;
  /** Kubeconfig for the Karmada API: nothing is written into a member that cannot join it. */
  readonly karmadaKubeconfig: string;
  /** Kubeconfig of an administrator of the member. */
  readonly memberKubeconfig: string;
  /** What the agent's pod needs of the member's nodes, for the preview. */
  readonly pods: Omit<PodNeeds, "apart" | "required">;
  /** For creating and for deleting it, each. */
  readonly timeoutSeconds: number;
}

export interface AgentHomeOutputs {
  /** UID of the namespace. */
  readonly uid: string;
  /** UID of the member's kube-system namespace, which identifies the cluster. */
  readonly member: string;
}

const provider = forwarding("agent-home-impl");

/**
 * A namespace in a member for its agent, with the account of its pod. Refused already in the preview: somebody else's
 * namespace, and a member without a node that takes the pod. Deleting it ends the agent and returns when nothing of it
 * is left; in a member that does not answer it stays, which is reported with what is left.
 */
export class AgentHome extends DynamicResource<AgentHomeInputs> {
  declare readonly uid: pulumi.Output<string>;
  declare readonly member: pulumi.Output<string>;

  constructor(name: string, args: AsInputs<AgentHomeInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = {
      module: "members",
      type: "AgentHome",
      outputs: ["uid", "member"],
      secretInputs: ["karmadaKubeconfig", "memberKubeconfig"],
      deleteBeforeReplace: true,
    };
    super(provider, type, name, args, opts);
  }
}
