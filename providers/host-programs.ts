import type * as pulumi from "@pulumi/pulumi";
import type { HostAddress } from "../lib/hosts/address.ts";
import type { Mirror } from "../lib/hosts/download-script.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface HostProgramsInputs {
  /** Secret. Another name or address is another host. */
  readonly host: HostAddress;
  /** Digest of the content of each, by its name: `kube-apiserver`. */
  readonly programs: Readonly<Record<string, string>>;
  /**
   * Path of each on the machine that obtained it. On other machines those of the toolchain are found by their digests.
   */
  readonly sources: Readonly<Record<string, string>>;
  /** Mirror from which the host downloads those of the toolchain. @default none, this machine sends all */
  readonly mirror?: Mirror;
}

export interface HostProgramsOutputs {
  /** Previous digest of each that was replaced or is no longer wanted, kept there for going back. */
  readonly previous: Readonly<Record<string, string>>;
}

const provider = forwarding("host-programs-impl");

/**
 * The programs on a host, for any process there to run. Those the host lacks are brought there, verified, and put in
 * place atomically. A new version is placed beside the old one, which stays for going back. Deleting it removes all of
 * them.
 */
export class HostPrograms extends DynamicResource<HostProgramsInputs> {
  declare readonly programs: pulumi.Output<Readonly<Record<string, string>>>;
  declare readonly previous: pulumi.Output<Readonly<Record<string, string>>>;

  constructor(name: string, args: AsInputs<HostProgramsInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = { module: "hosts", type: "HostPrograms", outputs: ["previous"], secretInputs: ["host"] };
    super(provider, type, name, args, opts);
  }
}
