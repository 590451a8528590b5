import type { TypedAddon } from "./addons.ts";
import type { Chart, RenderedChart } from "./charts.ts";
import { type FoundObject, type ManifestText, readManifests } from "./manifests.ts";
import { differences } from "./rendering-difference.ts";
import { placeOf } from "./source-place.ts";
import type { ReadSource } from "./sources.ts";

/** A problem of a field of a source; the field is empty for the source itself. */
export interface SourceProblem {
  readonly field: string;
  readonly message: string;
}

const places = ["directory", "file", "repository", "oci"] as const;

/** Where a chart comes from. */
export type ChartPlace = (typeof places)[number];

/** The field that says where it comes from, whose presence {@link checkChart} has verified. */
export const chartPlace = (source: Chart): ChartPlace => places.find((place) => source[place] !== undefined)!;

/** The APIs given to a chart beyond those of Kubernetes. */
export const apisOf = ({ source, target }: { readonly source: Chart } & Pick<TypedAddon, "target">): string[] => [
  ...(target.kind === "controlPlane" || target.kind === "propagated" ? karmadaApis : []),
  ...source.apiVersions,
];

/** What every Karmada serves. https://github.com/karmada-io/karmada/tree/v1.18.2/charts/karmada/_crds/bases */
const karmadaApis = [
  "apps.karmada.io/v1alpha1",
  "autoscaling.karmada.io/v1alpha1",
  "cluster.karmada.io/v1alpha1",
  "config.karmada.io/v1alpha1",
  "multicluster.x-k8s.io/v1alpha1",
  "networking.karmada.io/v1alpha1",
  "policy.karmada.io/v1alpha1",
  "remedy.karmada.io/v1alpha1",
  "work.karmada.io/v1alpha1",
  "work.karmada.io/v1alpha2",
];

/** Finds what cannot be rendered whatever the chart. */
export function checkChart(source: Chart, namespace: string | undefined): SourceProblem[] {
  const found = placeOf(source, places);
  if ("error" in found) return [{ field: "", message: found.error }];
  const { place } = found;
  const isFetched = place === "repository" || place === "oci";
  const problems = [
    place === "repository" ? wanted(source, "chart") : unwanted(source, "chart", place),
    isFetched ? wanted(source, "version") : unwanted(source, "version", place),
    place === "directory" ? unwanted(source, "sha256", place) : [],
  ].flat();
  if (source.createNamespace && namespace === undefined)
    problems.push({ field: "createNamespace", message: "got true, want the addon's namespace beside it" });
  return problems;
}

const wanted = (source: Chart, field: "chart" | "version"): SourceProblem[] =>
  source[field] === undefined ? [{ field, message: `missing, want ${needs[field]}` }] : [];

const needs = { chart: "the name of a chart of the repository", version: "the version of the chart" };

const unwanted = (source: Chart, field: "chart" | "version" | "sha256", place: ChartPlace): SourceProblem[] =>
  source[field] === undefined ? [] : [{ field, message: `got "${source[field]}", want none with ${place}` }];

/** The objects of a chart as helm rendered it, or everything that is wrong with it. */
export function readChart(
  { source, namespace }: { readonly source: Chart } & Pick<TypedAddon, "namespace">,
  rendered: RenderedChart | undefined,
): Pick<ReadSource, "objects" | "omitted"> & { readonly problems: readonly SourceProblem[] } {
  const wrong = (...problems: SourceProblem[]) => ({ objects: [], omitted: [], problems });
  const unclear = checkChart(source, namespace);
  if (unclear.length > 0) return wrong(...unclear);
  const place = chartPlace(source);
  if (rendered === undefined) return wrong({ field: place, message: "was not rendered" });
  if ("error" in rendered) return wrong({ field: rendered.field, message: rendered.error });
  const changing = differences(rendered.text, rendered.again);
  if (changing.length > 0) return wrong({ field: "values", message: unsteady(changing) });
  const hooks: string[] = [];
  const isHook = (value: Fields): boolean => {
    const hook = hookOf(value);
    if (hook !== undefined) hooks.push(hook);
    return hook !== undefined;
  };
  const read = templatesOf(rendered.text).map((template) => readManifests(template, isHook));
  const problems = read.flatMap(({ problems }) => problems).map((message) => ({ field: place as string, message }));
  if (hooks.length > 0 && source.hooks === "refuse") problems.push({ field: "hooks", message: refusal(hooks) });
  const objects = read.flatMap((each) => each.objects);
  if (objects.length === 0 && problems.length === 0)
    return wrong({ field: place, message: "gives no Kubernetes object with these values" });
  return {
    objects: [...(source.createNamespace ? [namespaceOf(namespace!)] : []), ...objects],
    omitted: hooks,
    problems,
  };
}

/** Some changing values reveal where they come from. */
function unsteady(changing: readonly string[]): string {
  const most = 5;
  const more = changing.length > most ? ` and ${changing.length - most} more` : "";
  return `the chart gives something else each time it is rendered: ${changing.slice(0, most).join(", ")}${more}; set the values that take the place of what its templates make up (randAlphaNum, genCA, now), or every up would change them`;
}

type Fields = Readonly<Record<string, unknown>>;

/** The title of a hook, as `Job setup (pre-install)`. https://helm.sh/docs/topics/charts_hooks/ */
function hookOf({ kind, metadata }: Fields): string | undefined {
  const { name, generateName, annotations } = (metadata ?? {}) as Fields;
  const events = ((annotations ?? {}) as Fields)["helm.sh/hook"];
  return events === undefined ? undefined : `${String(kind)} ${String(name ?? generateName)} (${String(events)})`;
}

const refusal = (hooks: readonly string[]): string =>
  `the chart has hooks, which nothing here runs: ${hooks.join(", ")}; switch them off by its values, or leave them out by hooks "omit" and do yourself what they do`;

/**
 * What helm printed, by file of the chart. It names the file in a comment above each object of a template, and once
 * above a file of `crds/`, which it prints as it is: with separators of its own.
 */
function templatesOf(text: string): ManifestText[] {
  const templates = new Map<string, string[]>();
  const [, ...parts] = text.split(/^---\n# Source: (.+)$/m);
  for (let i = 0; i < parts.length; i += 2) {
    const [file, documents] = [parts[i]!, parts[i + 1]!];
    templates.set(file, [...(templates.get(file) ?? []), documents]);
  }
  return [...templates].map(([file, documents]) => ({ file, text: documents.join("---\n") }));
}

const namespaceOf = (name: string): FoundObject => ({
  object: { apiVersion: "v1", kind: "Namespace", metadata: { name } },
  place: "createNamespace",
});
