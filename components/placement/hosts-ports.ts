import { firstKind, type Override, overrideOf } from "../../spec/etcd-overrides.ts";
import { hostPorts } from "../../spec/host-ports.ts";
import { etcdProxyComponent } from "../processes/etcd-proxy.ts";
import { haproxyComponent } from "../processes/haproxy.ts";
import { LocalPorts } from "./local-ports.ts";

/** Ports of everything without a fixed one, by a hash of its names. */
const firstOther = 24000;

/** Port numbers on hosts. */
export class HostsPorts {
  private readonly others = new LocalPorts(firstOther);
  private readonly overrides: readonly Override[];

  /** @param overrides may have members on the same hosts as the first etcd */
  constructor(overrides: readonly Override[] = []) {
    this.overrides = overrides;
  }

  number(process: string, port: string): number {
    return this.of(process)[port] ?? this.others.number(process, port);
  }

  /** All ports of a process that follow from its name: fixed ones, and those of programs that serve a member. */
  of(process: string): Readonly<Record<string, number>> {
    const serving = Object.entries(portsOfServing).find(([component]) => process.endsWith(`-${component}`))?.[1];
    if (serving === undefined) return hostPorts[this.kindOf(process)] ?? {};
    return Object.fromEntries(serving.map((port) => [port, this.others.number(process, port)]));
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

/** There is one for each member, so that each has its own numbers. */
const portsOfServing: Readonly<Record<string, readonly string[]>> = {
  "karmada-agent": ["metrics", "health"],
  "karmada-scheduler-estimator": ["grpc", "metrics", "health"],
};

/** `karmada-search` of `karmada-search-1`. */
export const withoutNumber = (process: string): string => process.replace(/-\d+$/, "");
