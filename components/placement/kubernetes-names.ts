import { objectName } from "../../lib/host-cluster/object-name.ts";
import type { KubernetesPlacement } from "../../spec/deployment.ts";
import { apiserverName } from "../processes/control-plane.ts";
import type { Process } from "../process.ts";
import { HostsPorts } from "./hosts-ports.ts";
import { memberNumber, type Reach, reachOfApi, reachOfMember } from "./kubernetes-reach.ts";

type Settings = Pick<KubernetesPlacement<unknown>, "namespace" | "clusterDomain" | "exposure">;

/** Names and ports: of Services inside the host cluster, and of what leads there from outside. */
export class KubernetesNames {
  private readonly ports = new HostsPorts();
  private readonly settings: Settings;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  host(process: string): string {
    const { namespace, clusterDomain } = this.settings;
    return `${objectName(process)}.${namespace}.svc.${clusterDomain}`;
  }

  port(process: string, port: string): number {
    return servingPort(process, port) ?? this.ports.number(process, port);
  }

  /** How this program and people reach what is exposed. */
  get outside() {
    return {
      host: (process: string) => this.reach(process)?.addresses[0] ?? this.unexposed(process),
      port: (process: string, port: string) =>
        (this.isExposed(process, port) ? this.reach(process)?.port : undefined) ?? this.unexposed(process),
    };
  }

  /** By which addresses a process is reached from outside. */
  addresses(process: string): readonly string[] {
    return this.reach(process)?.addresses ?? [];
  }

  /** Whether a port is reached from outside. */
  isExposed(process: string, port: string): boolean {
    return process === apiserverName ? port === "secure" : memberNumber(process) !== undefined && port === "client";
  }

  /** The port of every node that leads to a port of a process; undefined when none does. */
  nodePort(process: string, port: string): number | undefined {
    const isThere = this.settings.exposure.kind === "nodePort" && this.isExposed(process, port);
    return isThere ? this.reach(process)?.port : undefined;
  }

  /** All that a deployment with these members of etcd takes, by the name of the Service. */
  nodePorts(members: readonly string[]): Record<string, number[]> {
    const ports = [
      [apiserverName, this.nodePort(apiserverName, "secure")] as const,
      ...members.map((member) => [outsideName(member), this.nodePort(member, "client")] as const),
    ];
    return Object.fromEntries(ports.flatMap(([name, port]) => (port === undefined ? [] : [[name, [port]]])));
  }

  private reach(process: string): Reach | undefined {
    const { exposure } = this.settings;
    const inside = (port: string) => ({ addresses: [this.host(process)], port: this.port(process, port) });
    if (process === apiserverName) return reachOfApi(exposure, inside("secure"));
    const number = memberNumber(process);
    return number === undefined ? undefined : reachOfMember(exposure, number, inside("client"));
  }

  private unexposed(process: string): never {
    throw new Error(`${process}: it is not reached from outside the host cluster`);
  }
}

/** Of the Service by whose node port this program comes to a member of etcd. */
export const outsideName = (member: string): string => `${member}-outside`;

/** Ports of a process that others come to. */
export const servedPorts = ({ ports }: Pick<Process, "ports">): readonly string[] =>
  ports.filter((port) => ["secure", "client", "peer", "grpc"].includes(port));

/** Each of those that serve a member has a pod, so that all of a kind have the same numbers: upstream's. */
const servingPorts: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "karmada-agent": { metrics: 8080, health: 10357 },
  "karmada-scheduler-estimator": { grpc: 10352, metrics: 8080, health: 10351 },
};

function servingPort(process: string, port: string): number | undefined {
  return Object.entries(servingPorts).find(([component]) => process.endsWith(`-${component}`))?.[1][port];
}
