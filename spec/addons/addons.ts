import { z } from "zod";
import { text, words } from "../field.ts";
import { image } from "../values/image.ts";
import { labelKey, labelValue } from "../values/labels.ts";
import { name } from "../values/name.ts";
import { type Duration, sha256, wait } from "../values/units.ts";
import { addonCertificates } from "./certificates.ts";
import { chart } from "./charts.ts";
import type { ManifestObject } from "./manifests.ts";

const manifest = z.strictObject({
  kind: z.literal("manifest").describe("Kubernetes objects as YAML or JSON: one of `file`, `directory` and `url`."),
  file: words("the path of a file").optional().describe("A file; relative to the stack file."),
  directory: words("the path of a directory")
    .optional()
    .describe("All files of a directory that end in `.yaml`, `.yml` or `.json`; relative to the stack file."),
  url: text(/^https?:\/\/[^\s/@]+\/\S*$/, 'an address such as "https://example.org/release-1.2/install.yaml"')
    .optional()
    .describe("Where they are fetched from. What was fetched is kept by its digest, and not fetched again."),
  sha256: sha256
    .optional()
    .describe("Digest of what the URL, or the file, must hold: `sha256sum` prints it. Required with `url`."),
});

const memberNames = z.array(words("the name of a member")).min(1).optional();

const target = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("controlPlane").describe("The Karmada API, and no further.") }),
    z.strictObject({
      kind: z.literal("propagated").describe("The Karmada API, and from there to members, by a policy of this addon."),
      members: memberNames.describe("Names of these members. Default: every cluster of this Karmada."),
      labels: z
        .record(labelKey, labelValue)
        .optional()
        .describe("Labels of the clusters instead, also of those that come later."),
    }),
    z.strictObject({
      kind: z.literal("members").describe("Members directly, without Karmada's part in it."),
      members: memberNames.describe("Names of these members. Default: all of the stack file."),
    }),
    z.strictObject({ kind: z.literal("host").describe("The host cluster of `placement.kind: kubernetes`.") }),
  ])
  .describe("Where its objects go.");

/** One entry of the list. */
export const addon = z.strictObject({
  name: name.describe(
    "What it is called. Changing this keeps its objects, which get another label; those of a chart without `release` that bear its name are deleted and made again.",
  ),
  source: z.discriminatedUnion("kind", [manifest, chart]).describe("What it is made of."),
  target,
  namespace: text(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'a DNS-1123 label such as "monitoring"')
    .optional()
    .describe(
      "Namespace of its objects that live in one and name none, that of a chart's release. Default: `default`.",
    ),
  certificates: addonCertificates,
  images: z
    .array(image)
    .default([])
    .describe(
      "Images beyond those of the pods it describes, such as an operator starts by itself: `npm run images` has them in its list and its archive. Nothing else follows from it.",
    ),
  after: z
    .array(words("the name of an addon"))
    .default([])
    .describe("Names of other addons that are there, and ready, before this one begins; they are deleted after it."),
  wait: z
    .boolean()
    .default(true)
    .describe(
      "Whether to wait until its objects are ready, as `@pulumi/kubernetes` does; what is propagated, until Karmada tells that it is in the members and healthy there. Workloads with target `controlPlane` are never waited for: they run elsewhere.",
    ),
  timeout: wait
    .default("10m")
    .describe("How long each object may take to be ready; what is propagated, all of it in all members."),
});

export const addons = z
  .array(addon)
  .default([])
  .describe("Further objects in the Karmada API, in members or in the host cluster, kept like everything else.");

export type TypedAddon = z.output<typeof addon>;

/** An addon with its objects. */
export interface Addon {
  readonly name: string;
  /** `members` has names in any case. */
  readonly target: ResolvedTarget;
  readonly certificates: readonly { readonly secret: string; readonly names: readonly string[] }[];
  /** Namespace of the objects that name none, and of the Secrets of `certificates`. */
  readonly namespace: string;
  readonly after: readonly string[];
  readonly wait: boolean;
  readonly timeout: Duration;
  readonly objects: readonly ManifestObject[];
  /** What is left out of its source, as `Job setup (pre-install)`. */
  readonly omitted: readonly string[];
}

type ResolvedTarget =
  | { readonly kind: "controlPlane" | "host" }
  | { readonly kind: "members"; readonly members: readonly string[] }
  | {
      readonly kind: "propagated";
      readonly members?: readonly string[];
      readonly labels?: Readonly<Record<string, string>>;
    };
