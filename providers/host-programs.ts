import type * as pulumi from "@pulumi/pulumi";
import type { HostAddress } from "../lib/hosts/address.ts";
import type { Mirror } from "../lib/hosts/download-script.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface HostProgramsInputs {
  /** Secret. Another name or address is another host. */
  readonly host: HostAddress;
  /** Digest of the content of each, by its name: `kube-apiserver`. */
  readonly programs: Readonly<Record<string, string>>;
  /** Where each is on the machine that obtained it. On another one those of the toolchain are found by their digests. */
  readonly sources: Readonly<Record<string, string>>;
  /** From which the host downloads those that are of the toolchain. @default none, this machine sends all */
  readonly mirror?: Mirror;
}

export interface HostProgramsOutputs {
  /** Digest of the one before of each that was replaced, or is not wanted any more, kept there for going back. */
  readonly previous: Readonly<Record<string, string>>;
}

const provider = forwarding("host-programs-impl");

/**
 * The programs on a host, for any process there to run. Those that the host does not have are brought there, and take their places
 * whole and verified. A new version is put beside the old one, which stays for going back. Deleting it removes all of them.
 */
export class HostPrograms extends DynamicResource<HostProgramsInputs> {
  declare readonly programs: pulumi.Output<Readonly<Record<string, string>>>;
  declare readonly previous: pulumi.Output<Readonly<Record<string, string>>>;

  constructor(name: string, args: AsInputs<HostProgramsInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = { module: "hosts", type: "HostPrograms", outputs: ["previous"], secretInputs: ["host"] };
    super(provider, type, name, args, opts);
  }
}
