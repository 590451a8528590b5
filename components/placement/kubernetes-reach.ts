import type { KubernetesPlacement } from "../../spec/deployment.ts";
import {
  firstKind,
  mostMembers,
  offsetOf,
  type Override,
  overrideMembers,
  overrideOf,
} from "../../spec/etcd/overrides.ts";

type Exposure = KubernetesPlacement<unknown>["exposure"];

/** Where something is reached. */
export interface Reach {
  /** Addresses or names; this program uses the first. */
  readonly addresses: readonly string[];
  readonly port: number;
}

/** How this program and people reach the API servers. @param inside how pods do */
export function reachOfApi(exposure: Exposure, inside: Reach): Reach {
  switch (exposure.kind) {
    case "nodePort":
      return { addresses: exposure.addresses, port: exposure.apiServer };
    case "loadBalancer":
      return { addresses: [exposure.address ?? unassigned], port: exposure.port };
    case "ingress":
      return { addresses: [exposure.host], port: exposure.port };
    case "clusterIP":
      return exposure.addresses.length === 0 ? inside : { addresses: exposure.addresses, port: exposure.apiServer };
  }
}

/** Stands in a first preview for the address a load balancer will be assigned (RFC 2606). */
const unassigned = "load-balancer.invalid";

/** A member of etcd with a way in from outside. */
export interface Led {
  /** The process. */
  readonly name: string;
  /** Name of its pod's port: within the length limit of such names. */
  readonly port: string;
  /** Offset of its port from that of etcd-0. */
  readonly offset: number;
}

/** How this program reaches a member of etcd, which it asks one by one. */
export function reachOfMember(exposure: Exposure, { name, offset }: Led, inside: Reach): Reach {
  switch (exposure.kind) {
    case "nodePort":
      return { addresses: exposure.addresses, port: exposure.etcd + offset };
    case "loadBalancer":
      return { addresses: [exposure.etcd.address ?? unassigned], port: exposure.etcd.port + offset };
    case "ingress":
      return { addresses: [memberHost(exposure, name)], port: exposure.port };
    case "clusterIP":
      return exposure.addresses.length === 0 ? inside : { addresses: exposure.addresses, port: exposure.etcd + offset };
  }
}

/** The host name of a member in its Ingress. */
export const memberHost = ({ host, etcdDomain = host }: Extract<Exposure, { kind: "ingress" }>, name: string): string =>
  `${name}.${etcdDomain}`;

/** How a process is reached from outside; undefined if it is not a member of etcd. */
export function ledTo(process: string, overrides: readonly Override[]): Led | undefined {
  const [, number] = /^etcd-(\d+)$/.exec(process) ?? [];
  if (number !== undefined) return { name: process, port: process, offset: Number(number) };
  const found = overrideOf(
    process,
    overrides.map(({ name, resources }) => ({ name, resources, members: mostMembers })),
  );
  if (found === undefined) return undefined;
  const kind = firstKind(found.override);
  return { name: process, port: `etcd-${kind}-${found.number}`, offset: offsetOf[kind] + found.number };
}

/**
 * The members with a way in from outside: at least five, so that it exists before a member joins and until it has left,
 * and three for an etcd of some kinds of objects; some clouds allow no more than the first five ports for a load
 * balancer.
 */
export function allLed(members: readonly string[], overrides: readonly Override[]): readonly Led[] {
  const last = Math.max(4, ...members.map((member) => ledTo(member, [])?.offset ?? 0));
  const first = Array.from({ length: last + 1 }, (_, number) => `etcd-${number}`);
  const others = overrides.flatMap(({ name, members }) => overrideMembers({ name, members: Math.max(3, members) }));
  return [...first, ...others].flatMap((member) => ledTo(member, overrides) ?? []);
}
