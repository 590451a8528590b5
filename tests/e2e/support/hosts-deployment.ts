import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeHosts } from "../../../lib/hosts/hosts.ts";
import { cleanUp } from "../../support/clean-up.ts";
import { Lab, type LabHost } from "../../support/nspawn-lab.ts";
import { Programs } from "../../support/running.ts";
import { MemberClusters } from "./member-clusters.ts";
import { TestStack, type StackConfig } from "./stack.ts";

/**
 * Three empty hosts, the last with a later release of its operating system, three clusters on this machine that they can
 * reach, and a stack that is to bring up a Karmada there, behind one address, and join those.
 */
export class HostsDeployment {
  /** A new host may take the place of one. */
  readonly machines: LabHost[];
  readonly stack: TestStack;
  readonly lab: Lab;
  readonly vip: string;
  readonly #programs: Programs;
  readonly #members: MemberClusters;

  private constructor(lab: Lab, machines: LabHost[], stack: TestStack, programs: Programs, members: MemberClusters) {
    this.lab = lab;
    this.machines = machines;
    this.stack = stack;
    this.#programs = programs;
    this.#members = members;
    this.vip = machines[0]!.ip.replace(/\d+$/, "100");
  }

  /**
   * @param number of the lab
   * @param memberPort of the first of ten ports on this machine that the members may use
   */
  static async create(number: number, memberPort: number): Promise<HostsDeployment> {
    const lab = new Lab(number);
    const programs = new Programs(mkdtempSync(join(tmpdir(), "hosts-members-")));
    try {
      const machines = await Promise.all([lab.add(1), lab.add(2), lab.add(3, { suite: "trixie" })]);
      const members = await MemberClusters.start(programs, lab.gateway, memberPort);
      const made = new HostsDeployment(lab, machines, await TestStack.create({}, 0), programs, members);
      await made.#configure();
      return made;
    } catch (error) {
      await end(lab, programs);
      throw error;
    }
  }

  /** As the stack file has them. */
  get placement(): { hosts: { ssh: { hostKey: string } }[] } {
    return this.stack.config["placement"] as { hosts: { ssh: { hostKey: string } }[] };
  }

  /** Puts an empty host in the place of one, under its name and address. */
  async replace(i: number): Promise<void> {
    const machine = await this.lab.add(i + 1);
    this.machines[i] = machine;
    this.placement.hosts[i]!.ssh.hostKey = machine.hostKey;
  }

  async stop(): Promise<void> {
    await cleanUp(
      () => this.stack.remove(),
      () => end(this.lab, this.#programs),
    );
  }

  /** `members` of a stack file, for a stack that may join them. */
  membersFor(stack: TestStack): Promise<StackConfig[]> {
    return this.#members.entriesFor(stack);
  }

  async #configure(): Promise<void> {
    const { machines, stack, vip } = this;
    const privateKey = await stack.secret(machines[0]!.privateKey);
    const hosts = machines.map(({ name, ip, hostKey }) => ({ name, address: ip, ssh: { hostKey } }));
    const placement = { kind: "hosts", ssh: { privateKey }, hosts, loadBalancer: { kind: "haproxy", vip } };
    stack.config = { placement, members: await this.membersFor(stack) };
  }
}

async function end(lab: Lab, programs: Programs): Promise<void> {
  await cleanUp(
    () => programs.remove(),
    closeHosts,
    () => lab.stop(),
  );
}
