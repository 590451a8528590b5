import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

/** A program of the toolchain's list. */
export interface ProgramInputs {
  /** As in the list, for instance `kube-apiserver`. */
  readonly name: string;
  /** Without a leading `v`. */
  readonly version: string;
  /** Whether it runs elsewhere: then its path may differ between the machines that run this. @default false */
  readonly runsElsewhere?: boolean;
}

export interface ProgramOutputs {
  /** Absolute path of the executable, or of the directory, on the machine that obtained it. */
  readonly path: string;
  readonly sha256: string;
}

const provider = forwarding("program-impl");

/**
 * A program on this machine, obtained through the toolchain when it is missing. Deleting it leaves the program where it
 * is: the toolchain's store is shared by all deployments of a user.
 */
export class Program extends DynamicResource<ProgramInputs> {
  declare readonly version: pulumi.Output<string>;
  declare readonly path: pulumi.Output<string>;
  declare readonly sha256: pulumi.Output<string>;

  constructor(name: string, args: AsInputs<ProgramInputs>, opts?: pulumi.CustomResourceOptions) {
    super(provider, { module: "local", type: "Program", outputs: ["path", "sha256"] }, name, args, opts);
  }
}
