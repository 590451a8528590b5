import type * as pulumi from "@pulumi/pulumi";
import type { HostAddress } from "../lib/hosts/address.ts";
import type { Mirror } from "../lib/hosts/download-script.ts";
import type { SharedAddress } from "../lib/hosts/finding.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

/** A host and what is wanted of it. */
export interface WantedHost {
  readonly address: HostAddress;
  /** Ports by what will listen there: `etcd-0 client`. */
  readonly ports: Readonly<Record<string, number>>;
  /** Ports that other hosts' programs must be able to reach. */
  readonly reached: readonly number[];
  /** Whether it will keep data of etcd. */
  readonly etcd: boolean;
  /** Where it will keep them, when not below the usual directory; its parent must exist. @default there */
  readonly etcdData?: string;
  /** Paths of programs that must have come with its operating system. @default none */
  readonly installed?: readonly string[];
  /** Unix sockets that must be there: of programs of the operator's that those of the deployment ask. @default none */
  readonly sockets?: readonly string[];
  /** An address it will share with other hosts. @default none */
  readonly vip?: SharedAddress;
  /** Names it must be able to resolve. @default none */
  readonly names?: readonly string[];
  /** Mirror to download programs from. @default none */
  readonly mirror?: Mirror;
}

export interface HostPreflightInputs {
  /** Name of the deployment that will have the hosts to itself. */
  readonly deployment: string;
  /** By name. */
  readonly hosts: Readonly<Record<string, WantedHost>>;
  /**
   * Secret. Hosts removed by the last change of `hosts`: not declared but found by the check, so that a preview knows
   * them.
   */
  readonly left?: Readonly<Record<string, HostAddress>>;
}

export interface HostPreflightOutputs {
  /** Operating system of each host by name: `debian 12`. */
  readonly systems: Readonly<Record<string, string>>;
  /** Network interfaces by host and what they are for: its own address, and the one that it shares. */
  readonly interfaces: Readonly<Record<string, { readonly own: string; readonly vip: string }>>;
  /** The machine-id of each host by name; empty if it has none. Absent in the state of older releases. */
  readonly machines?: Readonly<Record<string, string>>;
  /** Addresses of the claimed hosts, with the credentials to release them. */
  readonly taken: Readonly<Record<string, HostAddress>>;
  /**
   * When all of them were claimed while free, in milliseconds of Unix time. Absent if one already belonged to this
   * deployment.
   */
  readonly firstTakenAt?: number;
}

const provider = forwarding("host-preflight-impl");

/**
 * Checks all hosts at the same time before anything is put on them, and reports all problems at once. Suitable hosts
 * are claimed: they belong to this deployment, and no other takes them. Deleting it releases them, and removes what a
 * killed `up` was making there; data of etcd among that prevent the release.
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
