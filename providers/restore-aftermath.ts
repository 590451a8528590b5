import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface RestoreAftermathInputs {
  /** Kubeconfig of a Karmada administrator. */
  readonly kubeconfig: string;
  /** Number of the restore; a new one is checked again. */
  readonly generation: number;
  /** The deployment's own members; those of other stacks that the plane has are looked at too. */
  readonly clusters: readonly string[];
  /** Whether to delete what is found in its own members without a Work. */
  readonly removeOrphans: boolean;
  readonly timeoutSeconds: number;
}

export interface RestoreAftermathOutputs {
  /** Objects in members that no longer have a Work: `member1: ConfigMap default/settings`. */
  readonly orphans: readonly string[];
  /** Those that were deleted. */
  readonly removed: readonly string[];
  /** Bindings the scheduler did not look at in time. */
  readonly laggingBindings: readonly string[];
  /** Members that could not be asked, with the reason. */
  readonly unasked: readonly string[];
}

const provider = forwarding("restore-aftermath-impl");

/**
 * What is left to do after Karmada went back in time: bindings that are not scheduled, and objects created in members
 * after the snapshot, of which Karmada no longer knows. Both are only reported, unless the latter are to be deleted from the deployment's own members.
 * Deleting it changes nothing.
 */
export class RestoreAftermath extends DynamicResource<RestoreAftermathInputs> {
  declare readonly orphans: pulumi.Output<string[]>;
  declare readonly removed: pulumi.Output<string[]>;
  declare readonly laggingBindings: pulumi.Output<string[]>;
  declare readonly unasked: pulumi.Output<string[]>;

  constructor(name: string, args: AsInputs<RestoreAftermathInputs>, opts?: pulumi.CustomResourceOptions) {
    const outputs = ["orphans", "removed", "laggingBindings", "unasked"];
    const type = { module: "restore", type: "RestoreAftermath", outputs, secretInputs: ["kubeconfig"] };
    super(provider, type, name, args, opts);
  }
}
