import * as pulumi from "@pulumi/pulumi";
import { base64 } from "../lib/base64.ts";
import { sha256 } from "../lib/sha256.ts";
import type { Addon } from "../spec/addons/addons.ts";
import type { ManifestObject } from "../spec/addons/manifests.ts";
import { readCertificates } from "../spec/pki/pem.ts";
import type { Pki } from "./pki.ts";
import type { CertificateRequest } from "./process.ts";

/** The authority of addons' certificates: no program of ours trusts it. */
const authority = "addons";

/** The certificates of addons: one for each cluster. */
export const certificatesOfAddons = (addons: readonly Addon[]): CertificateRequest[] =>
  addons.flatMap((addon) =>
    addon.certificates.flatMap(({ secret, names }) =>
      clustersOf(addon).map((cluster) => ({
        name: certificateName(addon, secret, cluster),
        authority,
        commonName: [addon.name, secret, cluster].filter((part) => part !== undefined).join(":"),
        usages: names.length > 0 ? (["server", "client"] as const) : (["client"] as const),
        hosts: names,
      })),
    ),
  );

/** The Secrets of an addon in one cluster. */
export const secretsOf = (
  addon: Addon,
  cluster: string | undefined,
  pki: Pick<Pki, "pair" | "trust">,
): ManifestObject[] =>
  addon.certificates.map(({ secret }) => {
    const { certificate, key } = pki.pair(certificateName(addon, secret, cluster));
    const files = { "ca.crt": pki.trust(authority), "tls.crt": certificate, "tls.key": key };
    return {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: secret, namespace: addon.namespace },
      type: "kubernetes.io/tls",
      data: Object.fromEntries(Object.entries(files).map(([file, text]) => [file, text.apply(base64)])),
    };
  });

/** An object whose pods are replaced when a certificate they use is: programs read theirs at their start. */
export function rolledWith(object: ManifestObject, secrets: readonly ManifestObject[]): ManifestObject {
  if (!rolled.has(`${object.apiVersion}/${object.kind}`)) return object;
  const { template, ...spec } = (object["spec"] ?? {}) as { template?: PodTemplate };
  const used = secrets.filter(
    ({ metadata: { name, namespace } }) => namespace === object.metadata.namespace && names(template?.spec, name),
  );
  if (used.length === 0) return object;
  const digest = pulumi.all(used.map(({ data }) => readAtStart(data as Files))).apply((all) => sha256(all.join()));
  const annotations = { ...template?.metadata?.annotations, "karmada-pulumi/certificates": digest };
  return { ...object, spec: { ...spec, template: { ...template, metadata: { ...template?.metadata, annotations } } } };
}

/** What is trusted changes with the certificate, except where several are. */
const readAtStart = ({ "ca.crt": trusted, "tls.crt": shown }: Files): pulumi.Output<string> =>
  pulumi.all([trusted!, shown!]).apply(([trusted, shown]) => (isBundle(trusted) ? trusted + shown : shown));

const isBundle = (encoded: string): boolean =>
  (readCertificates(Buffer.from(encoded, "base64").toString())?.length ?? 0) > 1;

interface PodTemplate {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: unknown;
}

type Files = Readonly<Record<string, pulumi.Output<string>>>;

const rolled: ReadonlySet<string> = new Set(["apps/v1/DaemonSet", "apps/v1/Deployment", "apps/v1/StatefulSet"]);

const clustersOf = ({ target }: Addon): readonly (string | undefined)[] =>
  target.kind === "members" ? target.members : [undefined];

/** No name has a slash. */
const certificateName = (addon: Addon, secret: string, cluster: string | undefined): string =>
  [`addon-${addon.name}`, secret, cluster].filter((part) => part !== undefined).join("/");

/** Whether pods use a Secret: as a volume, as part of one, or in their environment. */
function names(value: unknown, secret: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, each]) => {
    const isNamed = (field: string) => (each as Readonly<Record<string, unknown>> | null)?.[field] === secret;
    if (key === "secret" && (isNamed("secretName") || isNamed("name"))) return true;
    if ((key === "secretRef" || key === "secretKeyRef") && isNamed("name")) return true;
    return names(each, secret);
  });
}
