import { firstKind, type Override, overrideOf } from "../../spec/etcd/overrides.ts";
import { hostPorts } from "../../spec/placement/host-ports.ts";
import { portsOfServing } from "../../spec/placement/ports.ts";
import { etcdProxyComponent } from "../processes/etcd-proxy.ts";
import { haproxyComponent } from "../processes/haproxy.ts";
import { LocalPorts } from "./local-ports.ts";

/** Ports of everything without a fixed one, by a hash of its names. */
const firstOther = 24000;

/** Port numbers on hosts. What has none of its own shares the numbers with the programs of its host alone. */
export class HostsPorts {
  private readonly others = new Map<string, LocalPorts>();
  private readonly overrides: readonly Override[];
  private readonly hostOf: (process: string) => string;

  /**
   * @param overrides may have members on the same hosts as the first etcd
   * @param hostOf name of the host of a process @default all are on one
   */
  constructor(overrides: readonly Override[] = [], hostOf: (process: string) => string = () => "") {
    this.overrides = overrides;
    this.hostOf = hostOf;
  }

  number(process: string, port: string): number {
    return this.of(process)[port] ?? this.other(process, port);
  }

  /** All ports of a process that follow from its name: fixed ones, and those of programs that serve a member. */
  of(process: string): Readonly<Record<string, number>> {
    const serving = Object.entries(portsOfServing).find(([component]) => process.endsWith(`-${component}`))?.[1];
    if (serving === undefined) return hostPorts[this.kindOf(process)] ?? {};
    return Object.fromEntries(serving.map((port) => [port, this.other(process, port)]));
  }

  private other(process: string, port: string): number {
    const host = this.hostOf(process);
    const ports = this.others.get(host) ?? new LocalPorts(firstOther);
    this.others.set(host, ports);
    return ports.number(process, port);
  }

  /** A load balancer's programs have their host in their name, all others at most a replica number. */
  private kindOf(process: string): string {
    const found = overrideOf(process, this.overrides);
    if (found !== undefined) return `etcd of ${firstKind(found.override)}`;
    return (
      [haproxyComponent, etcdProxyComponent].find((component) => process.startsWith(`${component}-`)) ??
      withoutNumber(process)
    );
  }
}

/** `karmada-search` of `karmada-search-1`. */
export const withoutNumber = (process: string): string => process.replace(/-\d+$/, "");
