import type * as pulumi from "@pulumi/pulumi";
import type { HostAddress } from "../lib/hosts/address.ts";
import type { Mirror } from "../lib/hosts/download-script.ts";
import type { SharedAddress } from "../lib/hosts/finding.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

/** A host and what it is wanted for. */
export interface WantedHost {
  readonly address: HostAddress;
  /** Ports by what will listen there: `etcd-0 client`. */
  readonly ports: Readonly<Record<string, number>>;
  /** Ports that other hosts' programs must be able to reach. */
  readonly reached: readonly number[];
  /** Whether it will keep data of etcd. */
  readonly etcd: boolean;
  /** Where it will keep them, when not below the usual directory; the one that this is in must be there. @default there */
  readonly etcdData?: string;
  /** Paths of programs that must have come with its operating system. @default none */
  readonly installed?: readonly string[];
  /** An address it will share with other hosts. @default none */
  readonly vip?: SharedAddress;
  /** Names it must be able to resolve. @default none */
  readonly names?: readonly string[];
  /** From which it is to download programs. @default none */
  readonly mirror?: Mirror;
}

export interface HostPreflightInputs {
  /** Name of the deployment that will have the hosts to itself. */
  readonly deployment: string;
  /** By name. */
  readonly hosts: Readonly<Record<string, WantedHost>>;
  /** Secret. Those that the last change of `hosts` has taken out: none is declared, the check finds them, so that a preview knows them. */
  readonly left?: Readonly<Record<string, HostAddress>>;
}

export interface HostPreflightOutputs {
  /** Operating system of each host by name: `debian 12`. */
  readonly systems: Readonly<Record<string, string>>;
  /** Network interfaces by host and what they are for: its own address, and the one that it shares. */
  readonly interfaces: Readonly<Record<string, { readonly own: string; readonly vip: string }>>;
  /** The machine-id of each host by name; empty where it has none. Absent in states of before it was noted. */
  readonly machines?: Readonly<Record<string, string>>;
  /** Addresses of the hosts that are taken, with the credentials to let go of them. */
  readonly taken: Readonly<Record<string, HostAddress>>;
  /** When all of them were taken from nobody, in milliseconds of Unix time. Absent when one was this deployment's before. */
  readonly firstTakenAt?: number;
}

const provider = forwarding("host-preflight-impl");

/**
 * Looks at all hosts at the same time before anything is put on them, and says all that speaks against them at once. Hosts
 * that are good are taken: they belong to this deployment, and no other takes them. Deleting it lets go of them, and removes what
 * an `up` that was killed was making there; data of etcd among that keep it from letting go.
 */
export class HostPreflight extends DynamicResource<HostPreflightInputs> {
  declare readonly systems: pulumi.Output<HostPreflightOutputs["systems"]>;
  declare readonly interfaces: pulumi.Output<HostPreflightOutputs["interfaces"]>;
  declare readonly firstTakenAt: pulumi.Output<HostPreflightOutputs["firstTakenAt"]>;
  declare readonly left: pulumi.Output<HostPreflightInputs["left"]>;

  constructor(name: string, args: AsInputs<HostPreflightInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = {
      module: "hosts",
      type: "HostPreflight",
      outputs: ["systems", "interfaces", "machines", "taken", "firstTakenAt", "left"],
      secretInputs: ["hosts", "left"],
      secretOutputs: ["taken"],
    };
    super(provider, type, name, args, opts);
  }
}
