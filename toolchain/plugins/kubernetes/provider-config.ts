/** What changes of the provider's own inputs mean: another cluster replaces everything in it. */
import { isDeepStrictEqual } from "node:util";
import { reveal, Unknown } from "../server/index.ts";
import type { CheckRequest, CheckResult, Diff, DiffRequest, Properties, Value } from "../server/index.ts";
import { activeCluster, loadKubeconfig } from "./kubeconfig.ts";
import { equal } from "./merge-patch.ts";
import type { Field } from "./object.ts";

/** Strict mode wants the cluster named; files instead of objects are more than this writes. */
export async function checkConfig({ news, urn }: CheckRequest): Promise<CheckResult> {
  const values = reveal(news);
  const failures = [];
  if (values["renderYamlToDirectory"]) {
    const reason = "this project's stand-in would change the cluster; use the official plugin (pulumi plugin install)";
    failures.push({ property: "renderYamlToDirectory", reason: `cannot render files: ${reason}` });
  }
  if (!isStrict(values)) return { inputs: news, failures };
  if (/^default(_|$)/.test(urn.split("::").at(-1) ?? "")) {
    failures.push({ property: "", reason: "strict mode prohibits default provider" });
  }
  for (const property of ["kubeconfig", "context"]) {
    if (!values[property]) {
      failures.push({ property, reason: `strict mode requires Provider "${property}" argument` });
    }
  }
  return { inputs: news, failures };
}

/**
 * A different active cluster replaces the provider, and with it every resource. `clusterIdentifier` takes the
 * decision over: as long as it is the same, nothing is replaced.
 */
export async function diffConfig({ olds: oldState, oldInputs, news: newInputs }: DiffRequest): Promise<Diff> {
  const olds = reveal(Object.keys(oldState).length > 0 ? oldState : oldInputs);
  const news = reveal(newInputs);
  const diffs = changedKeys(olds, news);
  if (diffs.length === 0) return { changes: false };
  const result = replacing(olds, news, diffs);
  const { clusterIdentifier } = news;
  if (clusterIdentifier && olds["clusterIdentifier"] === clusterIdentifier) return { ...result, replaces: [] };
  return result;
}

function replacing(olds: Properties, news: Properties, diffs: string[]): Diff & { changes: true } {
  const identified = "clusterIdentifier" in olds && "clusterIdentifier" in news && diffs.includes("clusterIdentifier");
  const replaces = identified ? ["clusterIdentifier"] : [];
  const unknown = location.find((key) => news[key] instanceof Unknown);
  if (unknown) return { changes: true, diffs: [unknown], replaces: [...replaces, unknown] };
  const oldCluster = clusterOf(olds);
  const newCluster = clusterOf(news);
  if (diffs.includes("renderYamlToDirectory")) replaces.push("renderYamlToDirectory");
  if (oldCluster && newCluster && !isDeepStrictEqual(oldCluster, newCluster)) {
    replaces.push(...location.filter((key) => diffs.includes(key)));
  }
  return { changes: true, diffs, replaces };
}

/** The inputs that say which cluster is meant. */
const location = ["kubeconfig", "context", "cluster"];

function clusterOf(values: Properties): unknown {
  const { kubeconfig, context, cluster } = values;
  if (kubeconfig === undefined || kubeconfig === null || kubeconfig === "") return undefined;
  const text = typeof kubeconfig === "string" ? kubeconfig : JSON.stringify(kubeconfig);
  try {
    return activeCluster(loadKubeconfig(text), { context: string(context), cluster: string(cluster) });
  } catch (cause) {
    throw new Error(`failed to parse kubeconfig: ${(cause as Error).message}`, { cause });
  }
}

function changedKeys(olds: Properties, news: Properties): string[] {
  const keys = new Set([...Object.keys(olds), ...Object.keys(news)]);
  return [...keys].filter((key) => !equal((olds[key] ?? null) as Field, (news[key] ?? null) as Field));
}

function isStrict(values: Properties): boolean {
  const ambient = JSON.parse(process.env["PULUMI_CONFIG"] || "{}") as Record<string, unknown>;
  return (values["strictMode"] ?? ambient["strictMode"]) === "true";
}

function string(value: Value): string | undefined {
  return typeof value === "string" ? value : undefined;
}
