import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient, KubeObject } from "../../../lib/kube/client.ts";
import type { Network } from "./network.ts";

/** As the community's controller of haproxy has it. */
const controller = "haproxy-ingress.github.io/controller";
const passthrough = "haproxy-ingress.github.io/ssl-passthrough";

/**
 * A real haproxy on the node, port 443, led by what stands in for its ingress controller: it passes TLS through, by the name
 * that is asked for, to the Services of Ingresses that have the controller's annotation, and knows no others.
 */
export class Ingresses {
  readonly #client: KubeClient;
  readonly #network: Network;
  readonly #config: string;
  readonly #loop: Promise<void>;
  readonly #stopping = new AbortController();
  #haproxy: ChildProcess | undefined;

  constructor(client: KubeClient, network: Network, directory: string) {
    this.#client = client;
    this.#network = network;
    this.#config = join(directory, "ingresses.cfg");
    this.#loop = this.#lead();
  }

  /** Makes a class, by whose name Ingresses come here. */
  async addClass(name: string): Promise<void> {
    await this.#client.apply(`/apis/networking.k8s.io/v1/ingressclasses/${name}`, {
      apiVersion: "networking.k8s.io/v1",
      kind: "IngressClass",
      metadata: { name },
      spec: { controller },
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    await this.#end();
  }

  async #lead(): Promise<void> {
    const { signal } = this.#stopping;
    for (let before = ""; !signal.aborted; await sleep(300, undefined, { signal }).catch(() => {})) {
      const config = await this.#rendered().catch(() => before); // what held goes on to hold
      if (config === before) continue;
      writeFileSync(this.#config, config);
      await this.#end();
      const [command, ...prefix] = this.#network.prefix;
      this.#haproxy = spawn(command!, [...prefix, "haproxy", "-db", "-f", this.#config], { stdio: "ignore" });
      before = config;
    }
  }

  async #end(): Promise<void> {
    const haproxy = this.#haproxy;
    if (haproxy === undefined || haproxy.exitCode !== null) return;
    const ended = new Promise((resolve) => haproxy.once("exit", resolve));
    haproxy.kill();
    await ended;
  }

  async #rendered(): Promise<string> {
    const [ingresses, services] = await Promise.all([
      this.#list("/apis/networking.k8s.io/v1/ingresses"),
      this.#list("/api/v1/services"),
    ]);
    const clusterIP = (namespace = "", name = "") =>
      services.find(({ metadata }) => metadata?.namespace === namespace && metadata.name === name)?.["spec"].clusterIP;
    const passed = ingresses.filter(({ metadata }) => metadata?.annotations?.[passthrough] === "true");
    const routes = passed.flatMap(({ metadata, spec }) =>
      ((spec?.rules ?? []) as Rule[]).map(({ host, http }) => {
        const { name, port } = http.paths[0]!.backend.service;
        return { host, server: `${clusterIP(metadata?.namespace, name)}:${port.number}` };
      }),
    );
    return `defaults
  mode tcp
  timeout connect 5s
  timeout client 1h
  timeout server 1h
frontend tls
  bind ${this.#network.node}:443
  tcp-request inspect-delay 5s
  tcp-request content accept if { req.ssl_hello_type 1 }
${routes.map(({ host }) => `  use_backend ${host} if { req.ssl_sni -i ${host} }`).join("\n")}
${routes.map(({ host, server }) => `backend ${host}\n  server service ${server}`).join("\n")}
`;
  }

  async #list(path: string): Promise<KubeObject[]> {
    return (await this.#client.get<{ items: KubeObject[] }>(path)).items;
  }
}

interface Rule {
  readonly host: string;
  readonly http: {
    readonly paths: readonly {
      readonly backend: { readonly service: { readonly name: string; readonly port: { readonly number: number } } };
    }[];
  };
}
