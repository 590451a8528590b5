import { createHash } from "node:crypto";
import { firstHashed, hashedPorts, portsPerDeployment } from "../../spec/placement/ports.ts";

/**
 * Port numbers of a local deployment, as offsets from its `basePort`. Common ones come first and never change: numbers
 * to remember, and to open in a firewall.
 */
const fixed: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "karmada-apiserver": { secure: 0 },
  "karmada-aggregated-apiserver": { secure: 10 },
  "karmada-search": { secure: 11 },
  "karmada-metrics-adapter": { secure: 12, metrics: 13 },
  "karmada-webhook": { secure: 14, metrics: 15, health: 16 },
  "kube-controller-manager": { secure: 20 },
  "karmada-controller-manager": { metrics: 21, health: 22 },
  "karmada-scheduler": { metrics: 23, health: 24 },
  "karmada-descheduler": { metrics: 25, health: 26 },
  "etcd-backup": { http: 27 },
  ...Object.fromEntries(
    [0, 1, 2, 3, 4, 5, 6].map((i) => [`etcd-${i}`, { client: 30 + 3 * i, peer: 31 + 3 * i, metrics: 32 + 3 * i }]),
  ),
  "simulated-etcd": { client: 60, peer: 61, metrics: 62 },
};

/**
 * Gives each port of each process a number. The number of a port that is not in the list above follows from its names
 * alone, whatever else there is; only if two collide does the one requested later take the next free one. So a member
 * added at the end changes no other port, and one that is removed none but those it had displaced.
 */
export class LocalPorts {
  private readonly basePort: number;
  private readonly given = new Map<string, number>();
  private readonly taken = new Set<number>();

  constructor(basePort: number) {
    this.basePort = basePort;
  }

  /** @throws when the deployment's range has no number left. */
  number(process: string, port: string): number {
    return this.basePort + (fixed[process]?.[port] ?? this.hashedOffset(`${process}/${port}`));
  }

  private hashedOffset(key: string): number {
    const known = this.given.get(key);
    if (known !== undefined) return known;
    if (this.taken.size === hashedPorts)
      throw new Error(`${key}: all ${portsPerDeployment} ports of the deployment are given`);
    const start = createHash("sha256").update(key).digest().readUInt32BE() % hashedPorts;
    let step = 0;
    while (this.taken.has((start + step) % hashedPorts)) step++;
    const slot = (start + step) % hashedPorts;
    this.taken.add(slot);
    this.given.set(key, firstHashed + slot);
    return firstHashed + slot;
  }
}
