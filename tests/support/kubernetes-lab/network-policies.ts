import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient, KubeObject } from "../../../lib/kube/client.ts";
import type { Network } from "./network.ts";

/**
 * Enforces NetworkPolicies between the pods of a lab's node, which its bridge does not: rules for what comes in, by labels and
 * by numbers of ports, as this project writes them.
 */
export class NetworkPolicies {
  readonly #client: KubeClient;
  readonly #network: Network;
  readonly #loop: Promise<void>;
  readonly #stopping = new AbortController();

  constructor(client: KubeClient, network: Network) {
    this.#client = client;
    this.#network = network;
    network.run(`iptables -N ${chain}; iptables -I FORWARD -j ${chain}`);
    this.#loop = this.#enforce();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #enforce(): Promise<void> {
    const { signal } = this.#stopping;
    for (let before = ""; !signal.aborted; await sleep(300, undefined, { signal }).catch(() => {})) {
      const rules = await this.#rules().catch(() => before); // what held goes on to hold
      if (rules === before) continue;
      this.#network.run(`iptables-restore -w 5 --noflush <<'END'\n*filter\n:${chain} - [0:0]\n${rules}\nCOMMIT\nEND`);
      before = rules;
    }
  }

  async #rules(): Promise<string> {
    const [pods, policies] = await Promise.all([
      this.#list("/api/v1/pods"),
      this.#list("/apis/networking.k8s.io/v1/networkpolicies"),
    ]);
    return rulesOf(pods, policies).join("\n");
  }

  async #list(path: string): Promise<KubeObject[]> {
    return (await this.#client.get<{ items: KubeObject[] }>(path)).items;
  }
}

const chain = "LAB-POLICIES";

function rulesOf(pods: readonly KubeObject[], policies: readonly KubeObject[]): string[] {
  const selected = (policy: KubeObject) =>
    pods.filter(
      (pod) =>
        pod.metadata?.namespace === policy.metadata?.namespace &&
        matches(policy["spec"].podSelector, pod.metadata?.labels),
    );
  const open = policies.flatMap((policy) =>
    selected(policy).flatMap((pod) =>
      ((policy["spec"].ingress ?? []) as Rule[]).flatMap((rule) =>
        sourcesOf(rule, policy, pods).flatMap((source) =>
          rule.ports.map(({ port }) => `-A ${chain} ${source}-d ${addressOf(pod)} -p tcp --dport ${port} -j RETURN`),
        ),
      ),
    ),
  );
  const closed = policies.flatMap((policy) =>
    selected(policy).map((pod) => `-A ${chain} -d ${addressOf(pod)} -j DROP`),
  );
  const known = `-A ${chain} -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN`;
  return [known, ...open, ...closed].filter((rule) => !rule.includes("undefined"));
}

interface Rule {
  readonly from?: readonly { readonly podSelector?: Selector; readonly namespaceSelector?: Selector }[];
  readonly ports: readonly { readonly port: number }[];
}

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
}

/** As arguments of iptables; one that is empty stands for everybody. */
function sourcesOf({ from }: Rule, { metadata }: KubeObject, pods: readonly KubeObject[]): string[] {
  if (from === undefined) return [""];
  return from.flatMap(({ podSelector, namespaceSelector }) =>
    pods
      .filter((pod) => {
        const namespace = { "kubernetes.io/metadata.name": pod.metadata?.namespace ?? "" };
        const there = namespaceSelector
          ? matches(namespaceSelector, namespace)
          : pod.metadata?.namespace === metadata?.namespace;
        return there && (podSelector === undefined || matches(podSelector, pod.metadata?.labels));
      })
      .map((pod) => `-s ${addressOf(pod)} `),
  );
}

const matches = ({ matchLabels = {} }: Selector, labels: Readonly<Record<string, string>> = {}): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value);

const addressOf = (pod: KubeObject): string | undefined => pod["status"]?.podIP as string | undefined;
