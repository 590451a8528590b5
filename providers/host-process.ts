import type * as pulumi from "@pulumi/pulumi";
import type { HostAddress } from "../lib/hosts/address.ts";
import type { HostProbe } from "../lib/hosts/probe.ts";
import type { WrittenDirectory } from "../lib/hosts/unit.ts";
import { type AsInputs, type FileContents, DynamicResource, forwarding } from "./dynamic.ts";

/** What a process on a host is declared with, as the state keeps it. */
export interface HostProcessInputs {
  /** Secret. Another name or address is another host, and another process. */
  readonly host: HostAddress;
  /** Unique in the deployment. Changing it replaces the process. */
  readonly name: string;
  /** Name of the deployment that it is of. @default none, as in the states of earlier releases: nobody asks whose the host is */
  readonly deployment?: string;
  /** Upstream's name of what it is; it runs as a user of that name. Changing it replaces the process. */
  readonly component: string;
  /**
   * File name and digest of a program that was sent to the host; or the path of one that came with its operating system, which
   * has no digest here and whose updates are not ours.
   */
  readonly program: string;
  readonly programSha256: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** SHA-256 digest of each file's content, by path below the process's directory. */
  readonly files: Readonly<Record<string, string>>;
  /** Permissions of files that need others, as in `chmod`. @default 640, for the process's user to read */
  readonly fileModes?: Readonly<Record<string, string>>;
  /** Files the program reads again by itself when they change. @default none */
  readonly rereads?: readonly string[];
  /** What says that it is ready. */
  readonly probe: HostProbe;
  /** How long it may take to be ready after a start. */
  readonly startSeconds: number;
  /** How long it may take to stop before it is killed. */
  readonly stopSeconds: number;
  /** @default no limit */
  readonly memoryBytes?: number;
  /** @default no limit */
  readonly cores?: number;
  /** Whether the program tells systemd itself when it serves (sd_notify(3)). */
  readonly notifies: boolean;
  /** Settings of its systemd unit, by key, instead of those that every unit gets (systemd.exec(5)). @default none */
  readonly unitSettings?: Readonly<Record<string, readonly string[]>>;
  /** The directory on the host that has its data, below its name. It must be there. @default the same as for every process */
  readonly dataDirectory?: string;
  /** Directories outside its data that it writes to. @default none */
  readonly writes?: readonly WrittenDirectory[];
  /** Changes when others may have ended it: it is looked at then, and started where it does not run. @default nobody does */
  readonly follows?: string;
}

export interface HostProcessOutputs {
  /** Changes with everything it is started again for. */
  readonly revision: string;
  /** Its systemd unit. */
  readonly unit: string;
}

/** As the program declares it: with contents in the place of digests. */
export type HostProcessArgs = AsInputs<Omit<HostProcessInputs, "files">> & FileContents;

const provider = forwarding("host-process-impl");

/**
 * A program that systemd keeps running on a host, as a user of its own and shut off from the rest of the host. It exists
 * once its probe has answered. Deleting it stops the program and removes its unit, its files, its data and its user. On a host that
 * another deployment has by now it is neither changed nor deleted.
 */
export class HostProcess extends DynamicResource<HostProcessInputs> {
  declare readonly revision: pulumi.Output<string>;
  declare readonly unit: pulumi.Output<string>;

  constructor(name: string, args: HostProcessArgs, opts?: pulumi.CustomResourceOptions) {
    const type = { module: "hosts", type: "HostProcess", outputs: ["revision", "unit"], secretInputs: ["host"] };
    super(provider, type, name, args as never, opts);
  }
}
