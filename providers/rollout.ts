import type * as pulumi from "@pulumi/pulumi";
import type { RolledOut } from "../lib/members/rolled-out.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface RolloutInputs {
  /** What its objects belong to, in messages: `addon web`. Changing it replaces. */
  readonly title: string;
  /** The ClusterPropagationPolicy that propagates them. */
  readonly policy: string;
  readonly objects: readonly RolledOut[];
  /** Changes with the objects or the policy: then they are waited for again. Secret. */
  readonly revision: string;
  /** Members that the policy chooses if nothing stands in the way. */
  readonly members: readonly string[];
  /** Kubeconfig of a Karmada administrator. */
  readonly karmadaKubeconfig: string;
  /** How long all of it may take. */
  readonly timeoutSeconds: number;
}

export interface RolloutOutputs {
  /** Members in which everything is there, and ready, as of the last look. */
  readonly reached: readonly string[];
  /** Members that were not waited for, with the reason. */
  readonly leftOut: readonly string[];
}

const provider = forwarding("rollout-impl");

/**
 * Objects of the Karmada API that have reached the members their policy chooses, and are ready there. It makes nothing:
 * it waits, by what Karmada reports of each member. A member that is not ready is named and left out: Karmada
 * propagates to it later.
 */
export class Rollout extends DynamicResource<RolloutInputs> {
  declare readonly reached: pulumi.Output<string[]>;
  declare readonly leftOut: pulumi.Output<string[]>;

  constructor(name: string, args: AsInputs<RolloutInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = { outputs: ["reached", "leftOut"], secretInputs: ["karmadaKubeconfig", "revision"] };
    super(provider, { module: "members", type: "Rollout", ...type }, name, args, opts);
  }
}
