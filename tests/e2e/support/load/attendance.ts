import { setTimeout as sleep } from "node:timers/promises";
import { probe } from "../../../../lib/probe.ts";
import { slack } from "../../../support/etcd-load.ts";
import { ApiSession } from "./api-session.ts";

/** A host as it is looked at: the API server on it, and a port of its member of etcd. */
export interface Attended {
  readonly name: string;
  readonly address: string;
  /** For its own API server. */
  readonly kubeconfig: string;
}

/** How long a host may take to answer: on a busy machine what is only slow serves, and what is started again refuses at once. */
const mostPatience = 5000;
const patience = () => Math.min(mostPatience, 1000 * slack());

/** Looks ten times a second at which hosts serve: whose API server is ready, and whose member of etcd takes connections. */
export class Attendance {
  /** Hosts that did not serve at some time. */
  readonly missed = new Set<string>();
  /** Hosts that did not serve at one time, the most there were. */
  most: readonly string[] = [];
  readonly #ended: Promise<void>;
  #stopped = false;

  constructor(hosts: readonly Attended[]) {
    this.#ended = this.#run(hosts.map((host) => ({ ...host, session: new ApiSession(host.kubeconfig, mostPatience) })));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
  }

  async #run(hosts: readonly (Attended & { session: ApiSession })[]): Promise<void> {
    while (!this.#stopped) {
      const absent: string[] = [];
      const look = async ({ name, address, session }: (typeof hosts)[number]) => {
        const asked = [
          session.ask("GET", "/readyz", { milliseconds: patience() }),
          probe({ kind: "tcp", host: address, port: 2379 }),
        ];
        if ((await Promise.allSettled(asked)).some(({ status }) => status === "rejected")) absent.push(name);
      };
      await Promise.all([...hosts.map(look), sleep(100)]);
      for (const name of absent) this.missed.add(name);
      if (absent.length > this.most.length) this.most = absent;
    }
    for (const { session } of hosts) session.drop();
  }
}
