import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { isMap, parseDocument } from "yaml";
import { writeAtomically } from "../lib/atomic-file.ts";
import type { Helm } from "../lib/helm/helm.ts";
import { sha256, sha256OfFile } from "../lib/sha256.ts";
import { addon as addonSchema, type TypedAddon } from "../spec/addons/addons.ts";
import { apisOf, chartPlace, checkChart } from "../spec/addons/chart-sources.ts";
import type { Chart, RenderedChart } from "../spec/addons/charts.ts";
import { otherDigest } from "../spec/addons/source-place.ts";
import { versions } from "../spec/versions.ts";
import { parse } from "../spec/wording.ts";
import { yamlProblem } from "../toolchain/yaml-problem.ts";
import { fileBytes, filesIn, fullPath } from "./named-files.ts";

type Typed = Readonly<Record<string, unknown>>;
type ChartAddon = TypedAddon & { readonly source: Chart };

/** What charts rendered as, by the name of their addon. */
export type Rendered = Readonly<Record<string, RenderedChart>>;

/** Is told what takes long. */
export type Tell = (message: string) => void;

const toPulumi: Tell = (message) => void pulumi.log.info(message);

/** What prevents rendering a chart, by the field of its source. */
class Obstacle extends Error {
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/**
 * Renders the charts of addons, several at the same time, before there is any resource; helm is obtained if there is a
 * chart. Errors in what was typed are left to the checks.
 */
export async function renderCharts(typed: Typed, directory: string, tell: Tell = toPulumi): Promise<Rendered> {
  const addons = chartAddons(typed);
  if (addons.length === 0) return {};
  const { limit } = await import("../toolchain/limit.ts");
  const kubeVersion = parse(versions, typed["versions"], []).value?.kubernetes ?? versions.parse(undefined).kubernetes;
  const atOnce = limit(4);
  const path = await obtainHelm(tell);
  const rendered = addons.map((addon) =>
    atOnce(async (): Promise<[string, RenderedChart]> => {
      try {
        if (typeof path !== "string") throw path;
        return [addon.name, await render(addon, { helm: path, directory, kubeVersion })];
      } catch (error) {
        if (!(error instanceof Obstacle)) throw error;
        return [addon.name, { field: error.field, error: error.message }];
      }
    }),
  );
  return Object.fromEntries(await Promise.all(rendered));
}

function chartAddons({ addons }: Typed): ChartAddon[] {
  return (Array.isArray(addons) ? addons : []).flatMap((entry) => {
    const { value } = parse(addonSchema, entry, []);
    return value?.source.kind === "chart" && checkChart(value.source, value.namespace).length === 0
      ? [value as ChartAddon]
      : [];
  });
}

async function obtainHelm(tell: Tell): Promise<string | Obstacle> {
  const { catalogue, install, locate } = await import("../toolchain/index.ts");
  const helm = catalogue.flatMap(({ programs }) => programs).find(({ name }) => name === "helm")!;
  try {
    if (!(await locate(helm))) tell("helm: is obtained for the charts of addons, which can take minutes");
    const [artifact] = await install([helm]);
    return artifact!.path;
  } catch (error) {
    return new Obstacle(
      "kind",
      `got "chart", which needs helm: ${(error as Error).message.replaceAll(/\s*\n\s*/g, "; ")}`,
    );
  }
}

interface Place {
  /** Path of the program. */
  readonly helm: string;
  /** Directory of the stack file. */
  readonly directory: string;
  readonly kubeVersion: string;
}

async function render(addon: ChartAddon, place: Place): Promise<RenderedChart> {
  const { name, source, namespace } = addon;
  const valuesFiles = source.valuesFiles.map((path) => valuesFile(path, place.directory));
  const { Helm } = await import("../lib/helm/helm.ts");
  const { renderTwice } = await import("../lib/helm/render.ts");
  const temporary = await mkdtemp(join(tmpdir(), `karmada-chart-${name}-`));
  try {
    const helm = new Helm(place.helm, temporary);
    const chart = await chartOf(source, helm, temporary, place.directory);
    const kubeVersion = (source.kubeVersion ?? place.kubeVersion).replace(/^v/, "");
    return await renderTwice(helm, {
      ...source,
      chart,
      valuesFiles,
      apiVersions: apisOf(addon),
      kubeVersion,
      release: source.release ?? name,
      namespace: namespace ?? "default",
    }).catch((error: Error) => {
      throw obstacle(source, error, kubeVersion);
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** A file that helm can read values from. @returns its full path */
function valuesFile(path: string, directory: string): string {
  const found = fileBytes(path, directory);
  if ("error" in found) throw new Obstacle("valuesFiles", found.error);
  const document = parseDocument(found.bytes.toString("utf8"), { schema: "yaml-1.1", merge: true });
  const [error] = document.errors.map(yamlProblem);
  if (error !== undefined) throw new Obstacle("valuesFiles", `got "${path}", which does not parse: ${error}`);
  if (document.contents !== null && !isMap(document.contents))
    throw new Obstacle("valuesFiles", `got "${path}", which has no mapping in it, want values by name`);
  return fullPath(path, directory);
}

/** Path of the chart on this machine, if it has the expected digest. */
async function chartOf(source: Chart, helm: Helm, temporary: string, directory: string): Promise<string> {
  const place = chartPlace(source);
  const path = source[place]!;
  switch (place) {
    case "directory":
      return checkedDirectory(path, directory);
    case "file":
      return checkedFile(path, source.sha256, directory);
    case "repository":
    case "oci":
      return fetched(source, helm, temporary);
  }
}

function checkedDirectory(path: string, directory: string): string {
  const found = filesIn(path, directory);
  if ("error" in found) throw new Obstacle("directory", found.error);
  if (!found.files.includes("Chart.yaml"))
    throw new Obstacle("directory", `got "${path}", which has no Chart.yaml, want the directory of a chart`);
  return fullPath(path, directory);
}

function checkedFile(path: string, wanted: string | undefined, directory: string): string {
  const found = fileBytes(path, directory);
  if ("error" in found) throw new Obstacle("file", found.error);
  checkDigest("file", path, found.bytes, wanted);
  return fullPath(path, directory);
}

/** A chart with a digest comes from this user's store of programs once it was fetched. */
async function fetched(source: Chart, helm: Helm, temporary: string): Promise<string> {
  const { storeDirectory } = await import("../toolchain/index.ts");
  const { fetchChart } = await import("../lib/helm/fetch.ts");
  const kept = source.sha256 && join(storeDirectory(), "charts", `${source.sha256}.tgz`);
  if (kept && sha256OfFile(kept) === source.sha256) return kept;
  const { repository, oci, chart = "", version = "" } = source;
  const [field, what] =
    oci === undefined ? ["repository", `${chart} ${version} of ${repository}`] : ["oci", `${oci} ${version}`];
  const path = await fetchChart(
    helm,
    oci === undefined
      ? { kind: "repository", url: repository!, chart, version }
      : { kind: "oci", reference: oci, version },
    temporary,
  ).catch((error: Error) => {
    throw new Obstacle(field!, `${what} cannot be fetched: ${error.message}`);
  });
  if (!kept) return path;
  const bytes = readFileSync(path);
  checkDigest(field!, what!, bytes, source.sha256);
  writeAtomically(kept, bytes);
  return kept;
}

function checkDigest(field: string, what: string, bytes: Buffer, wanted: string | undefined): void {
  const digest = sha256(bytes);
  if (wanted !== undefined && wanted !== digest) throw new Obstacle(field, otherDigest(what, digest, wanted));
}

/** Why helm does not render a chart, in its words. */
function obstacle(source: Chart, { message }: Error, kubeVersion: string): Obstacle {
  const needed = /chart requires kubeVersion: (.+?) which is incompatible/.exec(message)?.[1];
  return needed === undefined
    ? new Obstacle(chartPlace(source), `helm cannot render it: ${message}`)
    : new Obstacle(
        "kubeVersion",
        `the chart needs Kubernetes ${needed}, and is rendered for ${kubeVersion}: want another version of the chart, or here the version of its target where that is another one`,
      );
}
