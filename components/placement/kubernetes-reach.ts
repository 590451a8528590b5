import type { KubernetesPlacement } from "../../spec/deployment.ts";

type Exposure = KubernetesPlacement<unknown>["exposure"];

/** Where something is come to. */
export interface Reach {
  /** Addresses or names; this program goes to the first. */
  readonly addresses: readonly string[];
  readonly port: number;
}

/** How this program and people come to the API servers. @param inside how pods do */
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

/** Stands in a first preview for what a load balancer will be assigned (RFC 2606). */
const unassigned = "load-balancer.invalid";

/** How this program comes to a member of etcd, which it asks one by one. */
export function reachOfMember(exposure: Exposure, number: number, inside: Reach): Reach {
  switch (exposure.kind) {
    case "nodePort":
      return { addresses: exposure.addresses, port: exposure.etcd + number };
    case "loadBalancer":
      return { addresses: [exposure.etcd.address ?? unassigned], port: exposure.etcd.port + number };
    case "ingress":
      return { addresses: [memberHost(exposure, number)], port: exposure.port };
    case "clusterIP":
      return exposure.addresses.length === 0 ? inside : { addresses: exposure.addresses, port: exposure.etcd + number };
  }
}

/** The name by which an Ingress leads to a member. */
export const memberHost = (
  { host, etcdDomain = host }: Extract<Exposure, { kind: "ingress" }>,
  number: number,
): string => `${memberOf(number)}.${etcdDomain}`;

export const memberOf = (number: number): string => `etcd-${number}`;

/** The number of a member; undefined of another process. */
export function memberNumber(process: string): number | undefined {
  const [, number] = /^etcd-(\d+)$/.exec(process) ?? [];
  return number === undefined ? undefined : Number(number);
}

/**
 * Numbers of the members that something leads to: five at least, so that it is there before one comes and until one has left;
 * some clouds have no more ports for a load balancer.
 */
export function memberNumbers(members: readonly string[]): readonly number[] {
  const last = Math.max(4, ...members.map((member) => memberNumber(member) ?? 0));
  return Array.from({ length: last + 1 }, (_, number) => number);
}
