import { setTimeout as sleep } from "node:timers/promises";
import type { Helm } from "./helm.ts";

/** How a chart is to be rendered. */
export interface Rendering {
  /** Directory of a chart, or a packaged one. */
  readonly chart: string;
  readonly release: string;
  readonly namespace: string;
  /** They override those of the files. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Paths. */
  readonly valuesFiles: readonly string[];
  readonly includeCRDs: boolean;
  /** Without a leading `v`. */
  readonly kubeVersion: string;
  /** Beyond those of Kubernetes. */
  readonly apiVersions: readonly string[];
}

/**
 * Renders a chart twice, in different seconds, so that generated values show.
 * @throws HelmFailed
 */
export async function renderTwice(helm: Helm, rendering: Rendering): Promise<{ text: string; again: string }> {
  const text = await render(helm, rendering);
  await sleep(1001 - (Date.now() % 1000));
  return { text, again: await render(helm, rendering) };
}

/** Values are passed on standard input: they may be secret. https://helm.sh/docs/helm/helm_template/ */
function render(helm: Helm, { release, chart, namespace, values, ...rest }: Rendering): Promise<string> {
  const flags = [
    ...["--namespace", namespace, "--kube-version", rest.kubeVersion, "--skip-tests"],
    ...(rest.includeCRDs ? ["--include-crds"] : []),
    ...rest.apiVersions.flatMap((version) => ["--api-versions", version]),
    ...[...rest.valuesFiles.map(quoted), "-"].flatMap((path) => ["--values", path]),
  ];
  return helm.run(["template", release, chart, ...flags], JSON.stringify(values));
}

/** Helm takes a path with a comma for two paths. */
const quoted = (path: string): string => (/[,"]/.test(path) ? `"${path.replaceAll('"', '""')}"` : path);
