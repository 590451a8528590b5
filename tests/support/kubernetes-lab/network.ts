import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { quietly, run } from "../commands.ts";
import { podNetwork, serviceNetwork } from "./objects.ts";

/** A network namespace with one link to this machine and a default route that ends in itself. */
export class Network {
  /** This machine's address as the node and its pods see it. */
  readonly machine: string;
  readonly node: string;
  readonly #number: number;
  readonly #file: string;

  constructor(number: number, directory: string) {
    this.#number = number;
    this.#file = join(directory, "net.ns");
    this.machine = `10.89.${number}.1`;
    this.node = `10.89.${number}.10`;
  }

  /** The command that runs the one after it in here. It leaves /sys alone, unlike `ip netns exec`. */
  get prefix(): readonly string[] {
    return ["nsenter", `--net=${this.#file}`, "--"];
  }

  up(): void {
    const [outer, inner] = [`kl${this.#number}h`, `kl${this.#number}n`] as const;
    quietly("ip", "link", "del", outer);
    writeFileSync(this.#file, "");
    run("unshare", `--net=${this.#file}`, "true");
    run("ip", "link", "add", outer, "type", "veth", "peer", "name", inner);
    run("ip", "link", "set", inner, "netns", this.#file);
    run("ip", "addr", "add", `${this.machine}/24`, "dev", outer);
    run("ip", "link", "set", outer, "up");
    this.run(
      `ip link set lo up
       ip link add node0 type bridge; ip addr add ${this.node}/24 dev node0; ip link set node0 up
       ip link set ${inner} master node0 up
       ip route replace default dev node0 src ${this.node}
       sysctl -qw net.ipv4.ip_forward=1 net.bridge.bridge-nf-call-iptables=1`,
    );
  }

  /** Leads this machine to pods and Services, as a router between their networks would. */
  lead(): void {
    for (const network of [podNetwork, serviceNetwork]) run("ip", "route", "replace", network, "via", this.node);
  }

  /** A script in the namespace. */
  run(script: string): string {
    const [program, ...args] = this.prefix;
    return execFileSync(program!, [...args, "sh", "-euc", script], { encoding: "utf8" });
  }

  down(): void {
    quietly("ip", "link", "del", `kl${this.#number}h`);
    if (readFileSync("/proc/self/mountinfo", "utf8").includes(this.#file)) run("umount", this.#file);
  }
}
