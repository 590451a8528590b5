import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

/** The directory of a deployment on this machine. */
export interface LocalDirectoryInputs {
  /** Absolute. It cannot be changed: nothing that is stored there would move along. */
  readonly directory: string;
  /** Name of the deployment that has it to itself: two in one directory would take over each other's processes. */
  readonly deployment: string;
}

/** What the state keeps besides. */
export interface LocalDirectoryOutputs {
  /**
   * The first directory on the way to it that was not there before, which goes again with it. Undefined: the directory
   * itself was there, or nobody noted it.
   */
  readonly made?: string;
}

const provider = forwarding("local-directory-impl");

/**
 * The directory for processes of a deployment, with its supervisor already started. Deleting it, after the processes
 * that depend on it, ends whatever still runs there: a killed `up` may have started a process without recording it.
 */
export class LocalDirectory extends DynamicResource<LocalDirectoryInputs> {
  constructor(name: string, args: AsInputs<LocalDirectoryInputs>, opts?: pulumi.CustomResourceOptions) {
    super(provider, { module: "local", type: "LocalDirectory", outputs: ["made"] }, name, args, opts);
  }
}
