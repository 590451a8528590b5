import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface RebalancingInputs {
  /** Name of the WorkloadRebalancer. Changing it replaces. */
  readonly name: string;
  /** What is rescheduled. Another list makes it happen again; the order does not matter. */
  readonly workloads: readonly RebalancedWorkload[];
  /** A change makes it happen again. */
  readonly trigger?: string;
  /** How long after its end Karmada deletes the object. @default it stays */
  readonly ttlSecondsAfterFinished?: number;
  /** Kubeconfig of a Karmada administrator. */
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
  /** When it finished, RFC 3339. */
  readonly finished: string;
  /** Those that were rescheduled: `Deployment default/web`. */
  readonly rebalanced: readonly string[];
  /** Those that no policy places, so that there was nothing to schedule. */
  readonly missing: readonly string[];
}

const provider = forwarding("rebalancing-impl");

/**
 * Workloads rescheduled once, by a WorkloadRebalancer. Karmada reschedules what such an object names when it is created
 * and never again: so another list or trigger recreates it under the same name. That it is gone after it finished is no
 * difference. Deleting it deletes the object; what it moved stays.
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
