/** What a Prometheus does with a configuration, done by hand: it is asked exactly as is written there. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { dashboardFile, monitoringFiles } from "../../../cli/monitoring/files.ts";
import { writeFiles } from "../../../cli/monitoring/write.ts";
import type { Monitored } from "../../../lib/monitoring/monitored.ts";
import type { Rule } from "../../../lib/monitoring/rule.ts";
import type { RuleGroup } from "../../../lib/monitoring/rules.ts";
import { readPromql } from "../../support/promql.ts";
import { ask, type Tls } from "./ask.ts";
import type { TestStack } from "./stack.ts";

type Labels = Readonly<Record<string, string>>;

interface Job {
  readonly job_name: string;
  readonly scheme?: "http" | "https";
  readonly metrics_path?: string;
  readonly tls_config?: {
    readonly ca_file: string;
    readonly cert_file: string;
    readonly key_file: string;
    readonly min_version: "TLS13";
  };
  readonly static_configs: readonly { readonly targets: readonly string[]; readonly labels: Labels }[];
}

/** What a target answered. */
export interface Scraped {
  readonly job: string;
  readonly url: string;
  readonly labels: Labels;
  readonly status: number;
  readonly type: string;
  /** Every line with a value. */
  readonly samples: readonly { readonly name: string; readonly labels: Labels }[];
}

/** A Prometheus of a stack: what it is told of, and what it is answered. */
export interface Prometheus {
  readonly rules: readonly Rule[];
  readonly panels: readonly Asker[];
  readonly scraped: readonly Scraped[];
  remove(): Promise<void>;
}

/** Writes the configuration of a stack on this machine, as `npm run monitoring` does, and asks all that it names. */
export async function prometheusOf(stack: TestStack): Promise<Prometheus> {
  const { monitoring, certificates } = await stack.outputs<{ monitoring: Monitored; certificates: Labels }>();
  const directory = await mkdtemp(join(tmpdir(), "karmada-monitoring-"));
  await writeFiles(directory, monitoringFiles(monitoring, certificates));
  const { groups } = parse(await readFile(join(directory, "rules.yaml"), "utf8")) as { groups: RuleGroup[] };
  return {
    rules: groups.flatMap(({ rules }) => rules),
    panels: panelsOf(await readFile(join(directory, dashboardFile), "utf8")),
    scraped: await scrape(join(directory, "scrape-configs.yaml")),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Asks every target of a file, one after another. */
export async function scrape(file: string): Promise<Scraped[]> {
  const { scrape_configs: jobs } = parse(await readFile(file, "utf8")) as { scrape_configs: readonly Job[] };
  const scraped: Scraped[] = [];
  for (const job of jobs) {
    const tls = await tlsOf(job, dirname(file));
    for (const { targets, labels } of job.static_configs) {
      for (const target of targets) {
        const url = `${job.scheme ?? "http"}://${target}${job.metrics_path ?? "/metrics"}`;
        const { status, type, text } = await ask(url, tls);
        const all = { job: job.job_name, instance: target, ...labels };
        scraped.push({ job: job.job_name, url, labels: all, status, type, samples: samplesIn(text) });
      }
    }
  }
  return scraped;
}

/** The certificate that a job shows, and whom it trusts; paths are as from the directory of its file. */
async function tlsOf({ tls_config: tls }: Job, directory: string): Promise<Tls | undefined> {
  if (tls === undefined) return undefined;
  const [ca, cert, key] = await Promise.all(
    [tls.ca_file, tls.cert_file, tls.key_file].map((path) => readFile(resolve(directory, path), "utf8")),
  );
  return { ca: ca!, cert: cert!, key: key!, minVersion: "TLSv1.3" };
}

/** @throws with a line that is not of the text format (https://prometheus.io/docs/instrumenting/exposition_formats/) */
export function samplesIn(text: string): Scraped["samples"] {
  return text.split("\n").flatMap((line) => {
    if (line === "" || line.startsWith("#")) return [];
    const [, name, labels = ""] =
      /^([a-zA-Z_:][\w:]*)(?:\{((?:\w+="(?:[^"\\]|\\.)*",?)*)\})? (?:[-+]?[\d.]+(?:e[-+]?\d+)?|[-+]?Inf|NaN)$/.exec(
        line,
      ) ?? [];
    if (name === undefined) throw new Error(`not a line of metrics: ${line}`);
    const pairs = labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g);
    return [{ name, labels: Object.fromEntries([...pairs].map(([, key, value]) => [key!, value!])) }];
  });
}

/** What may not be told yet: a counter by kinds of errors has no line before the first. */
const afterFirstUse: readonly string[] = ["apiserver_admission_webhook_rejection_count"];

/** Somebody that asks a Prometheus. */
export interface Asker {
  readonly who: string;
  readonly expr: string;
  /** What is spoken of in what becomes of the answer. */
  readonly labels: readonly string[];
}

/** What a dashboard asks. */
export function panelsOf(dashboard: string): Asker[] {
  const { panels } = JSON.parse(dashboard) as {
    panels: readonly { title: string; targets?: readonly { expr: string; legendFormat: string }[] }[];
  };
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({
      who: title,
      expr,
      labels: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!),
    })),
  );
}

/** What rules ask; a value that is kept is asked for nothing. */
const askedBy = (rules: readonly Rule[]): Asker[] =>
  rules.flatMap((rule) => {
    if ("record" in rule) return [];
    const spoken = Object.values(rule.annotations)
      .join(" ")
      .matchAll(/\$labels\.(\w+)/g);
    return [{ who: rule.alert, expr: rule.expr, labels: [...spoken].map(([, label]) => label!) }];
  });

/**
 * What rules, and others, name and nobody tells, as `KarmadaX: metric{label} of component`: metrics of each component that is
 * chosen, labels that are matched, grouped by or spoken of.
 */
export function untold(rules: readonly Rule[], scraped: readonly Scraped[], others: readonly Asker[] = []): string[] {
  const recorded = new Set(rules.flatMap((rule) => ("record" in rule ? [rule.record] : [])));
  return [...askedBy(rules), ...others].flatMap(({ who, expr, labels: spoken }) => {
    const { selectors, by } = readPromql(expr);
    return selectors.flatMap(({ metric, matchers }) => {
      if (recorded.has(metric)) return [];
      const ofTarget = matchers.filter(({ label }) => scraped.some(({ labels }) => label in labels));
      const chosen = scraped.filter(({ labels }) => ofTarget.every((matcher) => matches(labels, matcher)));
      const components = [...new Set(chosen.map(({ labels }) => labels["component"]!))];
      if (components.length === 0) return [`${who}: ${metric} of nobody`];
      const named = [...matchers.map(({ label }) => label), ...by.flat(), ...(by.length > 0 ? [] : spoken)];
      return components.flatMap((component) => {
        const told = chosen.filter(({ labels }) => labels["component"] === component);
        const known = told.flatMap(({ labels, samples }) =>
          // Whether it could be asked is a series of Prometheus' own.
          [...samples, { name: "up", labels: {} }]
            .filter(({ name }) => name === metric)
            .map((sample) => ({ ...labels, ...sample.labels })),
        );
        if (known.length === 0) return afterFirstUse.includes(metric) ? [] : [`${who}: ${metric} of ${component}`];
        const unknown = [...new Set(named)].filter(
          (label) => label !== "le" && !known.some((labels) => label in labels),
        );
        return unknown.map((label) => `${who}: ${metric}{${label}} of ${component}`);
      });
    });
  });
}

function matches(labels: Labels, { label, op, value }: { label: string; op: string; value: string }): boolean {
  const has = labels[label] ?? "";
  const isLike = () => new RegExp(`^(?:${value})$`).test(has);
  switch (op) {
    case "=":
      return has === value;
    case "!=":
      return has !== value;
    case "=~":
      return isLike();
    case "!~":
      return !isLike();
    default:
      throw new Error(`no such matcher: ${op}`);
  }
}
