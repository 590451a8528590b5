import { z } from "zod";
import { text, words } from "../field.ts";
import { sha256 } from "../values/units.ts";

const version = text(
  /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/,
  'one version such as "1.4.2", without a range',
);

/** A source of addons that helm renders. */
export const chart = z.strictObject({
  kind: z
    .literal("chart")
    .describe("A Helm chart, rendered by helm: one of `directory`, `file`, `repository` (with `chart`) and `oci`."),
  directory: words("the path of a directory").optional().describe("A chart as its source; relative to the stack file."),
  file: words("the path of a file").optional().describe("A packaged chart (`.tgz`); relative to the stack file."),
  repository: text(/^https?:\/\/[^\s/@]+(\/\S*)?$/, 'an address such as "https://charts.example.org"')
    .optional()
    .describe("A chart repository: the directory of its `index.yaml`."),
  chart: words("the name of a chart").optional().describe("Which chart of the repository."),
  oci: text(/^oci:\/\/[^\s/@]+(\/[^\s/@:]+)+$/, 'a reference such as "oci://registry.example.org/charts/web"')
    .optional()
    .describe("A chart in a registry, without its version. What `helm registry login` or `docker login` left counts."),
  version: version.optional().describe("Which version of it. Required with `repository` and `oci`."),
  sha256: sha256
    .optional()
    .describe(
      "Digest of the packaged chart. Recommended with `repository` and `oci`, where the same version may become another chart; what was fetched is then kept, and not fetched again.",
    ),
  release: text(
    /^(?=.{1,53}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
    "a DNS-1123 name of at most 53 characters",
  )
    .optional()
    .describe("Name of the release, `.Release.Name` in the chart. Default: the addon's name."),
  values: z.record(z.string(), z.unknown()).default({}).describe("Values, over those of `valuesFiles`."),
  valuesFiles: z
    .array(words("the path of a file"))
    .default([])
    .describe("Files of values, each over those before it; relative to the stack file."),
  includeCRDs: z
    .boolean()
    .default(true)
    .describe("Whether what the chart has in `crds/` belongs to it. As all else, it is then updated and deleted too."),
  createNamespace: z
    .boolean()
    .default(false)
    .describe("Whether the addon's `namespace` belongs to it: it is made first, and deleted with everything in it."),
  hooks: z
    .enum(["refuse", "omit"])
    .default("refuse")
    .describe(
      "What becomes of the chart's hooks, which nothing here runs: `refuse` ends with their names, `omit` leaves them out and names them. Tests are always left out.",
    ),
  kubeVersion: version
    .optional()
    .describe(
      "Version of Kubernetes it is rendered for, where its target has another one. Default: versions.kubernetes.",
    ),
  apiVersions: z
    .array(text(/^[^\s/,]+(\/[^\s/,]+){0,2}$/, 'an API such as "monitoring.coreos.com/v1"'))
    .default([])
    .describe(
      "APIs that the target has beyond those of Kubernetes and, where that is Karmada, of Karmada: `.Capabilities.APIVersions` in the chart.",
    ),
});

export type Chart = z.output<typeof chart>;

/** A chart as helm rendered it, twice, or what prevented that, by field of its source. */
export type RenderedChart =
  { readonly text: string; readonly again: string } | { readonly field: string; readonly error: string };
