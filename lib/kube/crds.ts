import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { base64 } from "../base64.ts";
import type { Call, KubeClient, KubeObject } from "./client.ts";

/** Where the API server sends an object that is requested in another version than it is stored in. */
export interface ConversionWebhook {
  /** For instance `https://10.0.0.7:8443/convert`. */
  readonly url: string;
  /** PEM. */
  readonly caBundle: string;
}

/**
 * Karmada's custom resource definitions as they are to be applied, sorted by name: `bases/` below `directory` with the
 * overlays in `patches/`, whose webhook is filled in.
 */
export async function renderCrds(directory: string, webhook: ConversionWebhook): Promise<KubeObject[]> {
  const [crds, overlays] = await Promise.all([
    readManifests(join(directory, "bases")),
    readManifests(join(directory, "patches")),
  ]);
  if (crds.length === 0) throw new Error(`${directory}: has no custom resource definitions below bases/`);
  return crds
    .map((crd) => {
      const overlay = overlays.find((each) => each.metadata?.name === crd.metadata?.name);
      return overlay === undefined ? crd : withConversion(crd, overlay, webhook);
    })
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

/** A CRD marked with its version of Karmada, for {@link appliedVersion}. */
export const marked = (crd: KubeObject, version: string): KubeObject => ({
  ...crd,
  metadata: { ...crd.metadata, labels: { ...labelsOf(crd), [versionLabel]: version } },
});

/** The version of Karmada whose CRDs are there; undefined when there are none, or none that are {@link marked}. */
export async function appliedVersion(plane: KubeClient, call?: Call): Promise<string | undefined> {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/works.work.karmada.io";
  const crd = await plane.find(path, call);
  return crd && labelsOf(crd)[versionLabel];
}

const versionLabel = "app.kubernetes.io/version";

const labelsOf = ({ metadata }: KubeObject) => (metadata?.labels ?? {}) as Record<string, string | undefined>;

export const nameOf = (object: KubeObject) => object.metadata?.name ?? "";

function withConversion(crd: KubeObject, overlay: KubeObject, { url, caBundle }: ConversionWebhook): KubeObject {
  const { webhook, ...conversion } = overlay.spec.conversion;
  const clientConfig = { url, caBundle: base64(caBundle) };
  return { ...crd, spec: { ...crd.spec, conversion: { ...conversion, webhook: { ...webhook, clientConfig } } } };
}

async function readManifests(directory: string): Promise<KubeObject[]> {
  const files = (await readdir(directory, { recursive: true }).catch(nothing)).filter((file) => /\.ya?ml$/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(join(directory, file), "utf8")));
  return texts
    .map((text) => parse(text, asReleased) as KubeObject)
    .filter((object) => object.kind === "CustomResourceDefinition");
}

/** They are 700 kB and generated: checks for human errors would take a third of the time. */
const asReleased = { uniqueKeys: false, strict: false, prettyErrors: false };

function nothing(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOENT") return [];
  throw error;
}
