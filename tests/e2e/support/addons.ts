import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { writeChart } from "../../support/charts.ts";
import type { Kubectl } from "./kubectl.ts";

/** Manifests of addons in a directory of their own. */
export interface Manifests {
  /** Writes the manifest of an addon. */
  write(name: string, objects: readonly object[]): Promise<void>;
  /** An addon made of what was written under its name. */
  addon(name: string, target: object, more?: object): object;
  /** Writes a chart with these templates. @returns a source of addons */
  chart(name: string, templates: Readonly<Record<string, string>>): Promise<object>;
  remove(): Promise<void>;
}

export async function manifests(): Promise<Manifests> {
  const directory = await mkdtemp(join(tmpdir(), "addons-"));
  const file = (name: string) => join(directory, `${name}.yaml`);
  return {
    write: (name, objects) => writeFile(file(name), objects.map((object) => stringify(object)).join("---\n")),
    addon: (name, target, more = {}) => ({ name, source: { kind: "manifest", file: file(name) }, target, ...more }),
    chart: async (name, templates) => ({ kind: "chart", directory: await writeChart(directory, name, templates) }),
    remove: () => rm(directory, { recursive: true }),
  };
}

export const configMap = (name: string, mode: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { mode },
});

/** Templates of a chart: a Deployment of as many replicas as its values say, and what it was rendered for. */
export const webChart = {
  "values.yaml": "replicas: 1\n",
  "templates/config.yaml": `apiVersion: v1
kind: ConfigMap
metadata: { name: {{ .Release.Name }} }
data: { mode: {{ .Capabilities.KubeVersion.Version }} }
`,
  "templates/web.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: { name: {{ .Release.Name }} }
spec:
  replicas: {{ .Values.replicas }}
  selector: { matchLabels: { app: {{ .Release.Name }} } }
  template:
    metadata: { labels: { app: {{ .Release.Name }} } }
    spec: { containers: [{ name: web, image: docker.io/library/nginx:1.29 }] }
`,
};

/** A kind of its own, whose objects live in namespaces, and one of them. */
export const shops = [
  {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "shops.example.org" },
    spec: {
      group: "example.org",
      scope: "Namespaced",
      names: { kind: "Shop", plural: "shops", singular: "shop" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  },
  { apiVersion: "example.org/v1", kind: "Shop", metadata: { name: "first" }, spec: { open: true } },
];

/** A Deployment of so many replicas. */
export const web = (name: string, replicas: number) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "web", image: "docker.io/library/nginx:1.29" }] },
    },
  },
});

/** What a cluster has of addons, as `kind namespace/name`, sorted. */
export async function ofAddons(kubectl: Kubectl): Promise<string[]> {
  const kinds = "configmaps,deployments.apps,namespaces,customresourcedefinitions";
  const { items } = await kubectl.get<{ items: Found[] }>(kinds, "-A", "-l", "karmada-pulumi/addon");
  return items
    .map(
      ({ kind, metadata: { namespace, name } }) => `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`,
    )
    .sort();
}

interface Found {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}
