import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { quietly, run } from "../commands.ts";
import { serviceNetwork } from "./objects.ts";

/** A network namespace with one link to this machine and a default route that ends in itself. */
export class Network {
  /** This machine's address as the node and its pods see it. */
  readonly machine: string;
  readonly node: string;
  /** The addresses of its pods, which no other lab's have. */
  readonly pods: string;
  /** What the node is called, and everything else of it that others on this machine could have too. */
  readonly name: string;
  readonly #number: number;
  readonly #file: string;

  constructor(number: number, directory: string) {
    this.#number = number;
    this.#file = join(directory, "net.ns");
    this.machine = `10.89.${number}.1`;
    this.node = `10.89.${number}.10`;
    this.pods = `10.244.${number}.0/24`;
    this.name = `lab-${number}`;
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
    for (const network of [this.pods, serviceNetwork]) run("ip", "route", "replace", network, "via", this.node);
  }

  /** Leads the pods of two labs to each other, as what routes between two clusters would. */
  join(other: Network): void {
    const [here, there] = [`kl${this.#number}to${other.#number}`, `kl${other.#number}to${this.#number}`];
    run("ip", "link", "add", here, "netns", this.#file, "type", "veth", "peer", "name", there, "netns", other.#file);
    this.#leadTo(other, here);
    other.#leadTo(this, there);
  }

  #leadTo({ node, pods }: Network, link: string): void {
    this.run(
      `ip link set ${link} up
       ip route add ${node} dev ${link} src ${this.node}
       ip route add ${pods} via ${node} dev ${link} src ${this.node}`,
    );
  }

  /** Leads pods to what is on a bridge of this machine, where all of them have this address. */
  attach(bridge: string, address: string): void {
    const [outer, inner] = [`kl${this.#number}b`, `kl${this.#number}hosts`] as const;
    run("ip", "link", "add", outer, "type", "veth", "peer", "name", inner, "netns", this.#file);
    run("ip", "link", "set", outer, "master", bridge, "up");
    this.run(
      `ip addr add ${address}/24 dev ${inner}; ip link set ${inner} up
       iptables -w 5 -t nat -A POSTROUTING -s ${this.pods} -o ${inner} -j MASQUERADE`,
    );
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
