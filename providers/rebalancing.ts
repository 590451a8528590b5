import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface RebalancingInputs {
  /** Of the WorkloadRebalancer. Changing it replaces. */
  readonly name: string;
  /** What is scheduled anew. Another list makes it happen again; their order does not count. */
  readonly workloads: readonly RebalancedWorkload[];
  /** Another word than before makes it happen again. */
  readonly trigger?: string;
  /** How long after its end Karmada deletes the object. @default it stays */
  readonly ttlSecondsAfterFinished?: number;
  /** Of an administrator of the Karmada API. */
  readonly karmadaKubeconfig: string;
  /** How long it may take to finish. */
  readonly timeoutSeconds: number;
}

export interface RebalancedWorkload {
  readonly apiVersion: string;
  readonly kind: string;
  /** None for kinds that are in none. */
  readonly namespace?: string;
  readonly name: string;
}

export interface RebalancingOutputs {
  /** When it had finished, RFC 3339. */
  readonly finished: string;
  /** Those that were scheduled anew: `Deployment default/web`. */
  readonly rebalanced: readonly string[];
  /** Those that no policy places, so that there is nothing to schedule. */
  readonly missing: readonly string[];
}

const provider = forwarding("rebalancing-impl");

/**
 * Workloads that were scheduled anew, once, by a WorkloadRebalancer. Karmada schedules what such an object names at the time it
 * is made and never again: for another list or word there is another object of the same name. That it is gone after it has
 * finished is no difference. Deleting it deletes the object; what it has moved stays.
 */
export class Rebalancing extends DynamicResource<RebalancingInputs> {
  declare readonly finished: pulumi.Output<string>;
  declare readonly rebalanced: pulumi.Output<string[]>;
  declare readonly missing: pulumi.Output<string[]>;

  constructor(name: string, args: AsInputs<RebalancingInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = {
      outputs: ["finished", "rebalanced", "missing"],
      secretInputs: ["karmadaKubeconfig"],
      deleteBeforeReplace: true,
    };
    super(provider, { module: "policies", type: "Rebalancing", ...type }, name, args, opts);
  }
}
