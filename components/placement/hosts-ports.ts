import { LocalPorts } from "./local-ports.ts";

/**
 * Port numbers on hosts, by the name of a process without the number of its replica: a deployment has its hosts to itself,
 * so they are those everybody knows where there are such, and the same on every host.
 */
const known: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  etcd: { client: 2379, peer: 2380, metrics: 2381 },
  "karmada-apiserver": { secure: 5443 },
  "karmada-aggregated-apiserver": { secure: 5444 },
  "karmada-search": { secure: 5445 },
  "karmada-metrics-adapter": { secure: 5446, metrics: 5456 },
  "karmada-webhook": { secure: 8443, metrics: 8444, health: 8445 },
  "kube-controller-manager": { secure: 10257 },
  "karmada-controller-manager": { health: 10357, metrics: 10358 },
  "karmada-scheduler": { health: 10351, metrics: 10352 },
  "karmada-descheduler": { health: 10361, metrics: 10362 },
};

/** Ports of everything else, by a hash of its names. */
const firstOther = 24000;

export class HostsPorts {
  private readonly others = new LocalPorts(firstOther);

  number(process: string, port: string): number {
    return known[withoutNumber(process)]?.[port] ?? this.others.number(process, port);
  }

  /** All ports of a process that are written down here. */
  of(process: string): Readonly<Record<string, number>> {
    return known[withoutNumber(process)] ?? {};
  }
}

/** `karmada-search` of `karmada-search-1`. */
export const withoutNumber = (process: string): string => process.replace(/-\d+$/, "");
