import type * as pulumi from "@pulumi/pulumi";
import type { HostAddress } from "../lib/hosts/address.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface HostProgramInputs {
  /** Secret. Another name or address is another host. */
  readonly host: HostAddress;
  /** Of the program: `kube-apiserver`. */
  readonly name: string;
  /** Digest of its content. */
  readonly sha256: string;
  /** Where it is on this machine. */
  readonly source: string;
}

export interface HostProgramOutputs {
  /** Where it is on the host. */
  readonly path: string;
  /** Digest of the one before, kept there for going back; empty at first. */
  readonly previous: string;
}

const provider = forwarding("host-program-impl");

/**
 * A program on a host, for any process there to run. It is sent when the host does not have it, and takes its place whole
 * and verified. A new version is put beside the old one, which stays for going back. Deleting it removes both.
 */
export class HostProgram extends DynamicResource<HostProgramInputs> {
  declare readonly name: pulumi.Output<string>;
  declare readonly sha256: pulumi.Output<string>;
  declare readonly path: pulumi.Output<string>;
  declare readonly previous: pulumi.Output<string>;

  constructor(name: string, args: AsInputs<HostProgramInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = { module: "hosts", type: "HostProgram", outputs: ["path", "previous"], secretInputs: ["host"] };
    super(provider, type, name, args, opts);
  }
}
