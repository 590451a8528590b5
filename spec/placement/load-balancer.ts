import { z } from "zod";
import { text, whole, words } from "../field.ts";
import type { Problem } from "../problems.ts";
import { endpoint, ipv4 } from "../values/address.ts";
import { ownerOfHostPort } from "./host-ports.ts";

export const loadBalancer = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("none").describe("Clients are given the first API server, and the addresses of all."),
    }),
    z.strictObject({
      kind: z.literal("external").describe("A load balancer or DNS name of yours, in front of all API servers."),
      endpoint: endpoint.describe(
        "What clients are given. It must lead to an API server by the time the control plane is up.",
      ),
    }),
    z.strictObject({
      kind: z
        .literal("haproxy")
        .describe(
          "One of ours: haproxy on two hosts or more, and an address that keepalived has on one where haproxy runs.",
        ),
      vip: ipv4.describe("The address clients are given: a free one in the hosts' network."),
      port: whole(1, 65535).default(6443).describe("Port clients are given."),
      hosts: z
        .array(words("the name of a host"))
        .optional()
        .describe("Names of the hosts to run it on, the one to have the address at first in front. Default: all."),
      interface: text(/^[^\s/]{1,15}$/, 'the name of a network interface such as "eth0"')
        .optional()
        .describe("Where each host gets the address. Default: the interface that has the host's own."),
      routerId: whole(1, 255)
        .optional()
        .describe("VRRP's number of the address, of which a network has each once. Default: the last number of `vip`."),
    }),
  ])
  .prefault({ kind: "none" })
  .describe("What stands in front of the API servers.");

type Typed = z.output<typeof loadBalancer>;
type OurTyped = Extract<Typed, { kind: "haproxy" }>;

/** A load balancer of ours, everything filled in. */
export interface HaproxyLoadBalancer extends Omit<OurTyped, "hosts" | "interface" | "routerId"> {
  /** Names of hosts, the initial owner of the address first. */
  readonly hosts: readonly string[];
  /** @default on each host the one that has the host's own address */
  readonly interface?: string;
  readonly routerId: number;
}

export type LoadBalancer = Exclude<Typed, OurTyped> | HaproxyLoadBalancer;

interface Named {
  readonly name: string;
  readonly address: string;
}

/** With every host and its own VRRP number, if none are given. */
export function resolveLoadBalancer(typed: Typed, hosts: readonly Named[]): LoadBalancer {
  if (typed.kind !== "haproxy") return typed;
  const { hosts: chosen, interface: device, routerId, ...rest } = typed;
  return {
    ...rest,
    hosts: chosen ?? hosts.map(({ name }) => name),
    ...(device !== undefined && { interface: device }),
    routerId: routerId ?? Math.max(1, Number(typed.vip.split(".")[3])),
  };
}

/** The address for clients; undefined when that is the first API server. */
export function endpointOfLoadBalancer(loadBalancer: Typed | LoadBalancer): string | undefined {
  switch (loadBalancer.kind) {
    case "none":
      return undefined;
    case "external":
      return loadBalancer.endpoint;
    case "haproxy":
      return `https://${loadBalancer.vip}:${loadBalancer.port}`;
  }
}

/** Finds an impossible load balancer of ours: too few hosts, or an address or port that is taken. */
export function checkLoadBalancer(typed: Typed, hosts: readonly Named[]): Problem[] {
  if (typed.kind !== "haproxy") return [];
  const { vip, port } = typed;
  const names = hosts.map(({ name }) => name);
  const chosen = typed.hosts ?? names;
  const problem = (field: string | number[], message: string): Problem => ({
    path: ["placement", "loadBalancer", ...(typeof field === "string" ? [field] : ["hosts", ...field])],
    message,
  });
  const owner = hosts.findIndex(({ address }) => address === vip);
  const program = ownerOfHostPort(port);
  return [
    ...(owner < 0
      ? []
      : [problem("vip", `got "${vip}", want an address that no host has: it is that of hosts[${owner}]`)]),
    ...(program === undefined ? [] : [problem("port", `got ${port}, want another port: ${program} has it`)]),
    ...chosen.flatMap((name, i) => {
      const before = chosen.indexOf(name);
      if (!names.includes(name))
        return [problem([i], `got "${name}", want one of placement.hosts (${names.join(", ")})`)];
      return before === i
        ? []
        : [problem([i], `got "${name}", want another host: loadBalancer.hosts[${before}] is the same`)];
    }),
    ...(chosen.length < 2
      ? [problem([], `got ${chosen.length}, want at least two hosts: one takes the address over from the other`)]
      : []),
  ];
}
