import type { Mirror } from "./download-script.ts";
import type { Facts } from "./facts.ts";

/** What is wanted of a host. */
export interface HostNeeds {
  /** As its operator calls it. */
  readonly name: string;
  readonly address: string;
  /** Whether the state of the deployment has it already. */
  readonly known: boolean;
  /** Ports by what will listen there: `etcd-0 client`. */
  readonly ports: Readonly<Record<string, number>>;
  /** Whether it will keep data of etcd. */
  readonly etcd: boolean;
  /** Where it will keep them, when not below the usual directory. @default there */
  readonly etcdData?: string;
  /** An address it will share with other hosts. @default none */
  readonly vip?: SharedAddress;
  /** Whether hosts of the deployment share that address already, as its state has it. @default false */
  readonly vipKnown?: boolean;
  /** Mirror to download programs from. @default none */
  readonly mirror?: Mirror;
}

/** An address that one of several hosts has at a time. */
export interface SharedAddress {
  readonly address: string;
  /** The interface to have it. @default the one that has the host's own address */
  readonly interface?: string;
  /** VRRP's number of it. */
  readonly routerId: number;
}

/** Something to say about a host. An error stops the deployment. */
export interface Finding {
  readonly host: string;
  readonly severity: "error" | "warning";
  readonly message: string;
}

/** Findings on one host: facts, or why there are none. */
export interface Looked {
  readonly needs: HostNeeds;
  readonly facts?: Facts;
  readonly failure?: string;
}

/** A host that could be looked at. */
export interface Seen {
  readonly needs: HostNeeds;
  readonly facts: Facts;
}

export const label = ({ name, address }: HostNeeds): string => `${name} (${address})`;

export const error = (needs: HostNeeds, message: string): Finding => ({
  host: label(needs),
  severity: "error",
  message,
});

export const warning = (needs: HostNeeds, message: string): Finding => ({
  host: label(needs),
  severity: "warning",
  message,
});
