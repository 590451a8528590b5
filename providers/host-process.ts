import type * as pulumi from "@pulumi/pulumi";
import type { HostAddress } from "../lib/hosts/address.ts";
import type { HostProbe } from "../lib/hosts/probe.ts";
import type { UnitDescription } from "../lib/hosts/unit.ts";
import { type AsInputs, type FileContents, DynamicResource, forwarding } from "./dynamic.ts";

/** What a process has in its systemd unit. */
type UnitInputs = Pick<
  UnitDescription,
  | "name"
  | "component"
  | "args"
  | "env"
  | "stopSeconds"
  | "memoryBytes"
  | "cores"
  | "notifies"
  | "unitSettings"
  | "dataDirectory"
  | "writes"
>;

/** Inputs of a process on a host, as the state keeps them. Changing `name` or `component` replaces the process. */
export interface HostProcessInputs extends UnitInputs {
  /** Secret. Another name or address is another host, and another process. */
  readonly host: HostAddress;
  /** Name of its deployment. @default none, as in the state of older releases: the owner of the host is not checked */
  readonly deployment?: string;
  /**
   * File name and digest of a program that was sent to the host; or the path of one that came with its operating system, which
   * has no digest here and whose updates are not ours.
   */
  readonly program: string;
  readonly programSha256: string;
  /** SHA-256 digest of each file's content, by path below the process's directory. */
  readonly files: Readonly<Record<string, string>>;
  /** Permissions of files that need others, as in `chmod`. @default 640, for the process's user to read */
  readonly fileModes?: Readonly<Record<string, string>>;
  /** Files the program rereads by itself when they change. @default none */
  readonly rereads?: readonly string[];
  /** Tells that it is ready. */
  readonly probe: HostProbe;
  /** How long it may take to be ready after a start. */
  readonly startSeconds: number;
  /**
   * Changes when others may have stopped it: then it is looked at, and started if it does not run. @default nobody does
   */
  readonly follows?: string;
}

export interface HostProcessOutputs {
  /** Changes with everything that requires a restart. */
  readonly revision: string;
  /** Its systemd unit. */
  readonly unit: string;
}

/** Its arguments in a program: with contents instead of digests. */
export type HostProcessArgs = AsInputs<Omit<HostProcessInputs, "files">> & FileContents;

const provider = forwarding("host-process-impl");

/**
 * A program that systemd keeps running on a host, as its own user and isolated from the rest of the host. It exists
 * once its probe has answered. Deleting it stops the program and removes its unit, its files, its data and its user. If
 * another deployment has the host by now it is neither changed nor deleted.
 */
export class HostProcess extends DynamicResource<HostProcessInputs> {
  declare readonly revision: pulumi.Output<string>;
  declare readonly unit: pulumi.Output<string>;

  constructor(name: string, args: HostProcessArgs, opts?: pulumi.CustomResourceOptions) {
    const type = { module: "hosts", type: "HostProcess", outputs: ["revision", "unit"], secretInputs: ["host"] };
    super(provider, type, name, args as never, opts);
  }
}
