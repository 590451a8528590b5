import { hostPorts } from "../../spec/host-ports.ts";
import { haproxyComponent } from "../processes/haproxy.ts";
import { LocalPorts } from "./local-ports.ts";

/** Ports of everything that has none of those written down, by a hash of its names. */
const firstOther = 24000;

/** Port numbers on hosts. */
export class HostsPorts {
  private readonly others = new LocalPorts(firstOther);

  number(process: string, port: string): number {
    return this.of(process)[port] ?? this.others.number(process, port);
  }

  /** All ports of a process that are written down. */
  of(process: string): Readonly<Record<string, number>> {
    return hostPorts[kindOf(process)] ?? {};
  }
}

/** A load balancer's programs have their host in their name, all others at most the number of the replica. */
const kindOf = (process: string): string =>
  process.startsWith(`${haproxyComponent}-`) ? haproxyComponent : withoutNumber(process);

/** `karmada-search` of `karmada-search-1`. */
export const withoutNumber = (process: string): string => process.replace(/-\d+$/, "");
