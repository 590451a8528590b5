import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

/** The directory of a deployment on this machine. */
export interface LocalDirectoryInputs {
  /** Absolute. It cannot be changed: nothing that is stored there would move along. */
  readonly directory: string;
  /** Name of the deployment that has it to itself: two in one directory would take over each other's processes. */
  readonly deployment: string;
}

const provider = forwarding("local-directory-impl");

/**
 * The directory that processes of a deployment are kept in, with its supervisor already started. Deleting it, after the
 * processes that depend on it, ends whatever still runs there: an `up` that was killed may have started a process and not
 * have written it down.
 */
export class LocalDirectory extends DynamicResource<LocalDirectoryInputs> {
  constructor(name: string, args: AsInputs<LocalDirectoryInputs>, opts?: pulumi.CustomResourceOptions) {
    super(provider, { module: "local", type: "LocalDirectory", outputs: [] }, name, args, opts);
  }
}
