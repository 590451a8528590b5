import type * as pulumi from "@pulumi/pulumi";
import type { Declarer } from "../lib/members/declarer.ts";
import type { Seen } from "../lib/members/seen.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface PulledMemberInputs {
  /** The member's name in Karmada. Changing it replaces. */
  readonly cluster: string;
  /** UID of its Cluster: the registration the agent is to make ready. */
  readonly registered: string;
  /** Once another stack declares it, it is not emptied. */
  readonly declaredBy: Declarer;
  /** Kubeconfig of a Karmada administrator. */
  readonly karmadaKubeconfig: string;
  /**
   * Kubeconfig of an administrator of the member, if what was propagated to it is to stay there. @default it is deleted
   */
  readonly memberKubeconfig?: string;
  /** Namespace of the agent, if it runs in the member. @default it uses an account of the registration */
  readonly agentNamespace?: string;
  /** How long the agent may take to make it ready, and to empty it. */
  readonly timeoutSeconds: number;
}

export interface PulledMemberOutputs {
  /** For instance `v1.35.3`; empty until the agent has looked. */
  readonly kubernetesVersion: string;
  readonly ready: boolean;
  /** Absent until the agent has looked, and in the state of older releases. */
  readonly seen?: Seen;
}

const provider = forwarding("pulled-member-impl");

/**
 * A member that its agent has made ready. It depends on the agent, so that it is deleted first: then Karmada deletes or
 * releases what it propagated to the member, through an agent that still runs.
 */
export class PulledMember extends DynamicResource<PulledMemberInputs> {
  declare readonly kubernetesVersion: pulumi.Output<string>;
  declare readonly ready: pulumi.Output<boolean>;
  declare readonly seen: pulumi.Output<Seen | undefined>;

  constructor(name: string, args: AsInputs<PulledMemberInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = {
      outputs: ["kubernetesVersion", "ready", "seen"],
      secretInputs: ["karmadaKubeconfig", "memberKubeconfig"],
      deleteBeforeReplace: true,
    };
    super(provider, { module: "members", type: "PulledMember", ...type }, name, args, opts);
  }
}
