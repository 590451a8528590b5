/** What prometheus-operator and its Prometheus do with the objects of a stack, done by hand: pods are chosen and asked as is written there. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { dashboardFile, monitoringFiles } from "../../../cli/monitoring/files.ts";
import { writeFiles } from "../../../cli/monitoring/write.ts";
import type { Monitored } from "../../../lib/monitoring/monitored.ts";
import type { Rule } from "../../../lib/monitoring/rule.ts";
import type { RuleGroup } from "../../../lib/monitoring/rules.ts";
import { programPath } from "../../support/programs.ts";
import type { Answer, Tls } from "./ask.ts";
import type { Question } from "./ask-all.ts";
import { established, type Json, type Kubectl } from "./kubectl.ts";
import { type Asker, panelsOf, samplesIn, type Scraped } from "./prometheus.ts";
import type { TestStack } from "./stack.ts";

type Labels = Readonly<Record<string, string>>;

/** Makes its kinds known to a cluster. */
export async function defineKinds(hostCluster: Kubectl): Promise<void> {
  const crds = await programPath("prometheus-operator-crds");
  await hostCluster(["apply", "--server-side", "-f", crds]);
  await established(hostCluster, "-f", crds);
}

/**
 * Writes the configuration of a stack, as `npm run monitoring` does, and applies it; fields that the kinds do not have are refused.
 * @returns what its dashboard asks
 */
export async function applyMonitoring(stack: TestStack, hostCluster: Kubectl): Promise<readonly Asker[]> {
  const { monitoring, certificates } = await stack.outputs<{ monitoring: Monitored; certificates: Labels }>();
  const directory = await mkdtemp(join(tmpdir(), "karmada-monitoring-"));
  try {
    await writeFiles(directory, monitoringFiles(monitoring, certificates));
    await hostCluster(["apply", "--server-side", "--validate=strict", "-f", directory]);
    return panelsOf(await readFile(join(directory, dashboardFile), "utf8"));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

export async function rulesIn(hostCluster: Kubectl, namespace: string): Promise<readonly Rule[]> {
  const { items } = await hostCluster.get<{ items: { spec: { groups: RuleGroup[] } }[] }>(
    "prometheusrules",
    "-n",
    namespace,
  );
  return items.flatMap(({ spec }) => spec.groups.flatMap(({ rules }) => rules));
}

/** @param within what a command begins with that is to run in the network of a pod: of the one that asks */
export async function scrapePods(
  hostCluster: Kubectl,
  namespace: string,
  within: readonly string[],
): Promise<readonly Scraped[]> {
  const list = async (kind: string) => (await hostCluster.get<{ items: Json[] }>(kind, "-n", namespace)).items;
  const [monitors, pods, secrets] = await Promise.all(["podmonitors", "pods", "secrets"].map(list));
  const targets = monitors!.flatMap(({ metadata, spec }) =>
    spec.podMetricsEndpoints.flatMap((endpoint: Json) =>
      pods!
        .filter((pod) => isChosen(pod, spec.selector.matchLabels) && pod.status.phase === "Running")
        .flatMap((pod) => targetsOf(pod, metadata.name, endpoint, secrets!)),
    ),
  );
  const questions: Question[] = targets.map(({ question }) => question);
  const script = join(import.meta.dirname, "ask-all.ts");
  const [program, ...args] = [...within, process.execPath, script];
  const { stdout } = await execa(program!, args, { input: JSON.stringify(questions), timeout: 60_000 });
  return (JSON.parse(stdout) as Answer[]).map(({ status, type, text }, i) => {
    const { job, labels, question } = targets[i]!;
    return { job, url: question.url, labels, status, type, samples: status === 200 ? samplesIn(text) : [] };
  });
}

const isChosen = (pod: Json, wanted: Labels): boolean =>
  Object.entries(wanted).every(([key, value]) => pod.metadata.labels[key] === value);

interface Target {
  readonly job: string;
  readonly labels: Labels;
  readonly question: Question;
}

/** A port of that name in each container that has one. */
function targetsOf(pod: Json, monitor: string, endpoint: Json, secrets: readonly Json[]): Target[] {
  const { namespace, name } = pod.metadata;
  const containers: Json[] = pod.spec.containers;
  return containers.flatMap((container) => {
    const port = container.ports?.find((each: Json) => each.name === endpoint.port);
    if (port === undefined) return [];
    const instance = `${pod.status.podIP}:${port.containerPort}`;
    const job = `${namespace}/${monitor}`;
    const given = { job, instance, namespace, pod: name, container: container.name, endpoint: endpoint.port };
    const tls = tlsOf(endpoint.tlsConfig, secrets);
    const question = { url: `${endpoint.scheme}://${instance}/metrics`, ...(tls && { tls }) };
    return [{ job, labels: relabelled(given, pod, endpoint.relabelings), question }];
  });
}

function tlsOf(config: Json, secrets: readonly Json[]): Tls | undefined {
  if (config === undefined) return undefined;
  const text = ({ name, key }: { name: string; key: string }) => {
    const data = secrets.find(({ metadata }) => metadata.name === name)?.data[key];
    if (data === undefined) throw new Error(`there is no ${key} in a Secret ${name}`);
    return Buffer.from(data, "base64").toString();
  };
  const { ca, cert, keySecret, minVersion, serverName } = config;
  if (minVersion !== "TLS13") throw new Error(`TLS is not asked for by its newest version: ${minVersion}`);
  const files = { ca: text(ca.secret), cert: text(cert.secret), key: text(keySecret) };
  return { ...files, minVersion: "TLSv1.3", servername: serverName };
}

/** As far as it is used: action `replace`. */
function relabelled(given: Labels, pod: Json, relabelings: readonly Json[]): Labels {
  const meta: Record<string, string> = { __meta_kubernetes_pod_name: pod.metadata.name };
  for (const [key, value] of Object.entries(pod.metadata.labels as Labels))
    meta[`__meta_kubernetes_pod_label_${key.replaceAll(/[^\w]/g, "_")}`] = value;
  const labels: Record<string, string> = { ...given };
  for (const { sourceLabels = [], regex = "(.*)", replacement = "$1", targetLabel } of relabelings) {
    const source = (sourceLabels as string[]).map((label) => meta[label] ?? "").join(";");
    const found = new RegExp(`^(?:${regex})$`).exec(source);
    if (found) labels[targetLabel] = replacement.replaceAll("$1", found[1] ?? "");
  }
  return labels;
}
