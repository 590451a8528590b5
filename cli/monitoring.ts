/** `npm run monitoring`: what a Prometheus needs for a stack. */
import { join, resolve } from "node:path";
import type { Monitored } from "../lib/monitoring/monitored.ts";
import { monitoringFiles } from "./monitoring/files.ts";
import { noMonitoring } from "./monitoring/no-monitoring.ts";
import { writeFiles } from "./monitoring/write.ts";
import { command, WrongUsage } from "./stack/command.ts";
import { readOutputs } from "./stack/members-now.ts";
import { requireStack } from "./stack/pulumi.ts";
import { programOf } from "./stack/stack-file.ts";
import { workspaceOf } from "./stack/workspace.ts";

const root = join(import.meta.dirname, "..");

const help = `usage: npm run monitoring [-- [--stack NAME] [--output DIR]]

Writes what a Prometheus needs to watch a stack that has \`karmada:monitoring: {enabled: true}\`: what is to be scraped with the
certificate for it, rules for alerts, and a dashboard for a Grafana that asks this Prometheus. Reads the outputs of the stack and
nothing else. To be run again after each \`up\`: programs come and go, and certificates are renewed. It overwrites and
takes away only what it wrote before, of which it keeps a list there: .written-by-karmada-monitoring.

  --stack NAME   the stack  [dev]
  --output DIR   a directory to write to  [.karmada/NAME/monitoring]
  --help         print this

  rules.yaml                     for rule_files of the Prometheus that evaluates rules
  scrape-configs.yaml            for scrape_config_files (Prometheus 2.43 or later), with what it names beside it:
  ca.crt client.crt client.key   the authority, and a certificate that may read metrics and nothing else
  grafana/dashboard.json         for Grafana's import, or a provider of dashboards with this directory as its path

On hosts metrics listen on loopback only: hosts/HOST/ has what is scraped there, for a Prometheus, or an agent, on each host. For
pods there is instead of all but the dashboard, for prometheus-operator (\`kubectl apply --server-side -f DIR\`):

  prometheus-operator.yaml       PodMonitors, a PrometheusRule, and the right to find pods for kube-prometheus' Prometheus
  prometheus-client.yaml         a Secret with the authority and the certificate

Exit codes: 0 all is written; 1 something was missing; 2 wrong usage.`;

interface Outputs {
  readonly monitoring: Monitored;
  readonly certificates: Readonly<Record<string, string>>;
}

process.exitCode = await command({
  name: "npm run monitoring",
  help,
  options: ["output"],
  async run({ stack, values }) {
    if (values["output"] === "") throw new WrongUsage('--output: got "", want a directory');
    await requireStack(root, stack);
    const { monitoring, certificates } = await readOutputs<Outputs>(root, stack);
    if (monitoring === undefined) throw new Error(noMonitoring(stack, await programOf(root, stack)));
    const directory = resolve(values["output"] ?? join(workspaceOf(root, stack), "monitoring"));
    const files = monitoringFiles(monitoring, certificates ?? {});
    await writeFiles(directory, files);
    console.log(`stack ${stack}: ${monitoring.targets.length} programs to scrape; written to ${directory}`);
    for (const path of files.keys()) if (/\.(yaml|json)$/.test(path)) console.log(`  ${path}`);
    return 0;
  },
});
