import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient, KubeObject } from "../../../lib/kube/client.ts";
import type { Network } from "./network.ts";

/** The class of those that a lab makes. */
export const labBalancers = "lab.example.org/addresses";

/**
 * Stands in for a cloud: gives each Service of type LoadBalancer and of the lab's class an address of the node and writes it
 * into its status, as a cloud's controller does. What comes there is led to pods by the real kube-proxy, which keeps to
 * `loadBalancerSourceRanges` too.
 */
export class LoadBalancers {
  readonly #client: KubeClient;
  readonly #network: Network;
  readonly #addresses = new Map<string, string>();
  readonly #loop: Promise<void>;
  readonly #stopping = new AbortController();

  constructor(client: KubeClient, network: Network) {
    this.#client = client;
    this.#network = network;
    this.#loop = this.#assign();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #assign(): Promise<void> {
    const { signal } = this.#stopping;
    for (; !signal.aborted; await sleep(300, undefined, { signal }).catch(() => {}))
      await this.#assignAll().catch(() => {}); // the next time
  }

  async #assignAll(): Promise<void> {
    const { items } = await this.#client.get<{ items: KubeObject[] }>("/api/v1/services");
    for (const { metadata, spec, status } of items) {
      if (spec?.type !== "LoadBalancer" || spec.loadBalancerClass !== labBalancers) continue;
      if (status?.loadBalancer?.ingress !== undefined) continue;
      const path = `/api/v1/namespaces/${metadata?.namespace}/services/${metadata?.name}/status`;
      const ip = this.#addressOf(metadata?.uid ?? "");
      await this.#client.merge(path, { status: { loadBalancer: { ingress: [{ ip }] } } });
    }
  }

  #addressOf(service: string): string {
    const known = this.#addresses.get(service);
    if (known !== undefined) return known;
    const address = this.#network.node.replace(/\d+$/, String(100 + this.#addresses.size));
    this.#network.run(`ip addr add ${address}/32 dev node0`);
    this.#addresses.set(service, address);
    return address;
  }
}
