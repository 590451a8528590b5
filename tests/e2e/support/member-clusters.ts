import { type Cluster, startCluster } from "../../support/cluster.ts";
import { startEtcd } from "../../support/etcd.ts";
import type { Programs } from "../../support/running.ts";
import type { StackConfig, TestStack } from "./stack.ts";

const names = ["member1", "member2", "member3"];

/** Three clusters on this machine, for a control plane that is somewhere else to join. */
export class MemberClusters {
  /** By the name that each is to be joined under. */
  readonly byName: ReadonlyMap<string, Cluster>;

  private constructor(byName: ReadonlyMap<string, Cluster>) {
    this.byName = byName;
  }

  /**
   * @param address of this machine, as the control plane sees it
   * @param port first of eight on this machine
   */
  static async start(programs: Programs, address: string, port: number): Promise<MemberClusters> {
    const etcd = await startEtcd(programs, port);
    const byName = new Map<string, Cluster>();
    for (const [i, name] of names.entries()) {
      byName.set(name, await startCluster(programs, etcd, { name, port: port + 2 + 2 * i, address }));
    }
    return new MemberClusters(byName);
  }

  /** `members` of a stack file, for a stack that may join them. */
  async entriesFor(stack: TestStack): Promise<StackConfig[]> {
    const entries: StackConfig[] = [];
    for (const [name, { kubeconfig }] of this.byName) {
      entries.push({ name, credentials: { kind: "kubeconfig", kubeconfig: await stack.secret(kubeconfig) } });
    }
    return entries;
  }
}
