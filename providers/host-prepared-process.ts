import type * as pulumi from "@pulumi/pulumi";
import { DynamicResource, forwarding } from "./dynamic.ts";
import type { HostProcessArgs, HostProcessInputs } from "./host-process.ts";

/** Inputs of a prepared process, as the state keeps them; those not listed here are as for a HostProcess. */
export interface HostPreparedProcessInputs extends Omit<HostProcessInputs, "probe" | "startSeconds" | "follows"> {
  /**
   * Digest of everything that requires a restart. Not declared: computed from the other inputs when they are checked,
   * so that a preview knows it as soon as it knows them.
   */
  readonly revision: string;
  /**
   * How often it was found edited by hand. Not declared: each time makes another revision, since the program may have
   * been restarted with the edit, which nothing shows once that is reverted. @default never
   */
  readonly timesEdited?: number;
}

const provider = forwarding("host-prepared-process-impl");

/**
 * A program with its unit and files, prepared on a host for a reconciler to start, which knows in which order programs
 * of a cluster may be restarted. A change is written and restarts nothing; what runs comes back unchanged, also after a
 * reboot. Deleting it removes its unit, its files, its data and its user, unless the program still runs: then the
 * reconciler has not released it.
 */
export class HostPreparedProcess extends DynamicResource<HostPreparedProcessInputs> {
  declare readonly revision: pulumi.Output<string>;
  declare readonly unit: pulumi.Output<string>;

  constructor(
    name: string,
    args: Omit<HostProcessArgs, "probe" | "startSeconds" | "follows">,
    opts?: pulumi.CustomResourceOptions,
  ) {
    const type = {
      module: "hosts",
      type: "HostPreparedProcess",
      outputs: ["revision", "unit"],
      secretInputs: ["host"],
    };
    super(provider, type, name, args as never, opts);
  }
}
