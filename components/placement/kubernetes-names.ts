import { objectName } from "../../lib/host-cluster/object-name.ts";
import type { KubernetesPlacement } from "../../spec/deployment.ts";
import type { Override } from "../../spec/etcd/overrides.ts";
import type { Process } from "../process.ts";
import { apiserverName } from "../processes/control-plane.ts";
import { HostsPorts } from "./hosts-ports.ts";
import { allLed, type Led, ledTo, type Reach, reachOfApi, reachOfMember } from "./kubernetes-reach.ts";

type Settings = Pick<KubernetesPlacement<unknown>, "namespace" | "clusterDomain" | "exposure">;

const firstMember = "etcd-0";

/** Names and ports: of Services inside the host cluster, and of the ways in from outside. */
export class KubernetesNames {
  private readonly ports = new HostsPorts();
  private readonly settings: Settings;
  private readonly overrides: readonly Override[];

  /** @param overrides etcds for some kinds of objects */
  constructor(settings: Settings, overrides: readonly Override[] = []) {
    this.settings = settings;
    this.overrides = overrides;
  }

  host(process: string): string {
    const { namespace, clusterDomain } = this.settings;
    return `${objectName(process)}.${namespace}.svc.${clusterDomain}`;
  }

  port(process: string, port: string): number {
    // Each has its own pod.
    const known = this.ledTo(process) === undefined ? process : firstMember;
    return servingPort(process, port) ?? this.ports.number(known, port);
  }

  /** How this program and people reach what is exposed. */
  get outside() {
    return {
      host: (process: string) => this.reach(process)?.addresses[0] ?? this.unexposed(process),
      port: (process: string, port: string) =>
        (this.isExposed(process, port) ? this.reach(process)?.port : undefined) ?? this.unexposed(process),
    };
  }

  /** The addresses at which a process is reached from outside. */
  addresses(process: string): readonly string[] {
    return this.reach(process)?.addresses ?? [];
  }

  /** Whether a port is reached from outside. */
  isExposed(process: string, port: string): boolean {
    return process === apiserverName ? port === "secure" : this.ledTo(process) !== undefined && port === "client";
  }

  /** The node port for a port of a process; undefined when there is none. */
  nodePort(process: string, port: string): number | undefined {
    const isThere = this.settings.exposure.kind === "nodePort" && this.isExposed(process, port);
    return isThere ? this.reach(process)?.port : undefined;
  }

  /** How a process is reached from outside; undefined if it is not a member of etcd. */
  ledTo(process: string): Led | undefined {
    return ledTo(process, this.overrides);
  }

  /** The members of etcd with a way in from outside, if the first etcd has these members. */
  allLed(members: readonly string[]): readonly Led[] {
    return allLed(members, this.overrides);
  }

  /** All node ports of a deployment with these members of etcd, and API servers if it has some, by the name of the Service. */
  nodePorts(members: readonly string[], hasApi: boolean): Record<string, number[]> {
    const ports = [
      ...(hasApi ? [[apiserverName, this.nodePort(apiserverName, "secure")] as const] : []),
      ...members.map((member) => [outsideName(member), this.nodePort(member, "client")] as const),
    ];
    return Object.fromEntries(ports.flatMap(([name, port]) => (port === undefined ? [] : [[name, [port]]])));
  }

  private reach(process: string): Reach | undefined {
    const { exposure } = this.settings;
    const inside = (port: string) => ({ addresses: [this.host(process)], port: this.port(process, port) });
    if (process === apiserverName) return reachOfApi(exposure, inside("secure"));
    const led = this.ledTo(process);
    return led && reachOfMember(exposure, led, inside("client"));
  }

  private unexposed(process: string): never {
    throw new Error(`${process}: it is not reached from outside the host cluster`);
  }
}

/** Name of the Service on whose node port this program reaches a member of etcd. */
export const outsideName = (member: string): string => `${member}-outside`;

/** Ports of a process that others use. */
export const servedPorts = ({ ports }: Pick<Process, "ports">): readonly string[] =>
  ports.filter((port) => ["secure", "client", "peer", "grpc"].includes(port));

/** Each program that serves a member has its own pod, so that all of a kind use the same numbers: upstream's. */
const servingPorts: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "karmada-agent": { metrics: 8080, health: 10357 },
  "karmada-scheduler-estimator": { grpc: 10352, metrics: 8080, health: 10351 },
};

function servingPort(process: string, port: string): number | undefined {
  return Object.entries(servingPorts).find(([component]) => process.endsWith(`-${component}`))?.[1][port];
}
