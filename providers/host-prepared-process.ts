import type * as pulumi from "@pulumi/pulumi";
import { DynamicResource, forwarding } from "./dynamic.ts";
import type { HostProcessArgs, HostProcessInputs } from "./host-process.ts";

/** What a prepared process is declared with, as the state keeps it; what is not said here is as with a HostProcess. */
export interface HostPreparedProcessInputs extends Omit<HostProcessInputs, "probe" | "startSeconds" | "follows"> {
  /**
   * Digest of everything the program must be restarted for. Not declared: made of the other inputs when they are checked,
   * so that a preview knows it as soon as it knows them.
   */
  readonly revision: string;
  /**
   * How often it was found edited by hand. Not declared: each time makes another revision, since what runs may have been
   * started anew by the edit, and nothing says so once that is put back. @default never
   */
  readonly timesEdited?: number;
}

const provider = forwarding("host-prepared-process-impl");

/**
 * A program with its unit and files, written down on a host for somebody else to start: whoever knows in which order
 * programs of a cluster may be restarted. A change is written down and restarts nothing; what runs comes back as what it
 * was, also when its host starts again. Deleting it removes its unit, its files, its data and its user, unless the program
 * still runs: then whoever runs it has not let go of it.
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
