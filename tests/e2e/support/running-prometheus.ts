/** A Prometheus that prometheus-operator runs in a host cluster, and what it says. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { withPodPort } from "../../../lib/kube/port-forward.ts";
import { programPath } from "../../support/programs.ts";
import { ask } from "./ask.ts";
import { eventually, type Json, type Kubectl } from "./kubectl.ts";

/** Those that run one program by themselves. */
export const prometheusImages = {
  operator: "quay.io/prometheus-operator/prometheus-operator:v0.85.0",
  reloader: "quay.io/prometheus-operator/prometheus-config-reloader:v0.85.0",
  // Version 3.11.0, by its module's number.
  prometheus: "quay.io/prometheus/prometheus:v0.311.0",
} as const;

/** Namespace and service account as kube-prometheus has them: https://github.com/prometheus-operator/kube-prometheus */
const [namespace, account] = ["monitoring", "prometheus-k8s"] as const;

export interface Target {
  readonly health: "up" | "down" | "unknown";
  readonly lastError: string;
  readonly scrapePool: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface EvaluatedRule {
  readonly name: string;
  readonly type: "alerting" | "recording";
  readonly health: "ok" | "err" | "unknown";
  readonly lastError?: string;
  /** Of alerts. */
  readonly state?: "inactive" | "pending" | "firing";
  readonly alerts?: readonly { readonly labels: Readonly<Record<string, string>> }[];
}

export class RunningPrometheus {
  readonly #kubeconfig: string;

  private constructor(kubeconfig: string) {
    this.#kubeconfig = kubeconfig;
  }

  /**
   * Runs the operator with the rights it comes with, and has it run a Prometheus that takes every PodMonitor and every rule, and may
   * see nothing yet. Its kinds are known already.
   */
  static async start(kubectl: Kubectl, kubeconfig: string): Promise<RunningPrometheus> {
    const rights = join(await programPath("prometheus-operator-rights"), "prometheus-operator");
    const files = (await readdir(rights)).filter((name) => /-(role|role-binding|account|deployment)\.yaml$/.test(name));
    const texts = await Promise.all(files.map((name) => readFile(join(rights, name), "utf8")));
    await kubectl(["apply", "--server-side", "-f", "-"], texts.join("\n---\n"));
    const itself = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
    const who = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace } };
    const items = [itself, who, prometheus];
    await kubectl(["apply", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    // Not by name: it is not there at first.
    const ready = () => kubectl.get<{ items: Json[] }>("statefulsets", "-n", namespace);
    await eventually(ready, ({ items }) => items.some(({ status }) => status?.readyReplicas === 1), 120).catch(
      async (error: Error) => {
        const said = await kubectl(["logs", "deployment/prometheus-operator", "-n", "default", "--tail=20"]);
        throw new Error(`${error.message}\nprometheus-operator says:\n${said}`, { cause: error });
      },
    );
    return new RunningPrometheus(kubeconfig);
  }

  async targets(): Promise<readonly Target[]> {
    return (await this.#get<{ activeTargets: Target[] }>("targets?state=active")).activeTargets;
  }

  async rules(): Promise<readonly EvaluatedRule[]> {
    const { groups } = await this.#get<{ groups: { rules: EvaluatedRule[] }[] }>("rules");
    return groups.flatMap(({ rules }) => rules);
  }

  /** How many series an expression has now. @throws with what Prometheus says of one that it does not take */
  async count(expression: string): Promise<number> {
    return (await this.#get<{ result: unknown[] }>(`query?query=${encodeURIComponent(expression)}`)).result.length;
  }

  async #get<T>(path: string): Promise<T> {
    const to = { kubeconfig: this.#kubeconfig, namespace, pod: `${account}-0`, port: 9090 };
    const { text } = await withPodPort(to, (port) => ask(`http://127.0.0.1:${port}/api/v1/${path}`));
    const { status, data, error } = JSON.parse(text) as { status: string; data: T; error?: string };
    if (status !== "success") throw new Error(`${path}: ${error}`);
    return data;
  }
}

const prometheus = {
  apiVersion: "monitoring.coreos.com/v1",
  kind: "Prometheus",
  metadata: { name: account.replace("prometheus-", ""), namespace },
  spec: {
    version: "v3.11.0",
    image: prometheusImages.prometheus,
    replicas: 1,
    serviceAccountName: account,
    scrapeInterval: "5s",
    evaluationInterval: "5s",
    podMonitorSelector: {},
    podMonitorNamespaceSelector: {},
    ruleSelector: {},
    ruleNamespaceSelector: {},
  },
};
