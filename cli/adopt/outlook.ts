import { X509Certificate } from "node:crypto";
import type { ForeignMember } from "../../lib/adoption/members.ts";
import type { ForeignPlane } from "../../lib/adoption/plane.ts";
import type { Workload } from "../../lib/adoption/workloads.ts";
import { imageVersion } from "../../spec/placement/image-version.ts";
import type { AdoptedStack } from "./stack-config.ts";

interface Found {
  readonly plane: ForeignPlane;
  readonly members: readonly ForeignMember[];
  readonly adopted: AdoptedStack;
  /** Namespace of the new plane. */
  readonly to: string;
}

/** What would become of each part of a plane that something else has built, were it taken over. */
export function outlook({ plane, members, adopted, to }: Found): string {
  const { versions, controlPlane } = adopted.config as unknown as Typed;
  const { namespace, workloads, authorities, names, etcd } = plane;
  const programs = workloads.filter(({ program }) => program !== "etcd");
  const declared = members.filter(({ kubeconfig }) => kubeconfig !== undefined);
  const others = members.filter(({ kubeconfig }) => kubeconfig === undefined);
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];
  return [
    `a Karmada that ${plane.maker} built in namespace ${namespace}; nothing was changed or written`,
    ...section("taken over, and the same", [
      ...Object.entries(authorities).map(
        ([name, { certificate }]) => `authority ${name}: SHA-256 ${new X509Certificate(certificate).fingerprint256}`,
      ),
      "the key that signs tokens",
      `names of the API server: ${names.join(", ")}`,
      "every object, with its UID, by a snapshot of etcd",
    ]),
    ...section(
      `ended by --fence, and run anew in namespace ${to}`,
      programs.map((workload) => anew(workload, versions, controlPlane)),
    ),
    ...section(`made anew in namespace ${to}`, [
      `etcd ${versions.etcd}, ${etcd.workload.replicas} of it, with volumes of its own and TLS between members`,
      "every certificate but the authorities', one for each program",
      ...declared.map(({ name }) => `how the member ${name} is logged in to`),
    ]),
    ...section("left as it is", [
      `${etcd.workload.name} in namespace ${namespace}, with its data, until you delete it: the way back`,
      ...members.map(({ name }) => `what runs in the member ${name}`),
      ...others.map(({ name, syncMode }) => `the registration of the member ${name} (${syncMode})`),
    ]),
    ...section("otherwise than before", adopted.notes),
  ].join("\n");
}

interface Typed {
  readonly versions: { readonly karmada: string; readonly kubernetes: string; readonly etcd: string };
  readonly controlPlane: Readonly<
    Record<string, { replicas?: number; logLevel?: number; extraArgs?: object; featureGates?: object } | undefined>
  >;
}

/** `karmada-scheduler 1.17.0 → 1.17.1, 1 of it, with --v=4`. */
function anew(
  { name, program, image, replicas }: Workload,
  versions: Typed["versions"],
  settings: Typed["controlPlane"],
) {
  const { replicas: now = replicas, logLevel, extraArgs = {}, featureGates = {} } = settings[program] ?? {};
  const next = program.startsWith("kube-") ? versions.kubernetes : versions.karmada;
  const before = imageVersion(image) ?? image;
  const own = [
    ...(logLevel === undefined ? [] : [`--v=${logLevel}`]),
    ...Object.entries(extraArgs).map(([flag, value]) => `--${flag}=${String(value)}`),
    ...Object.entries(featureGates).map(([gate, value]) => `${gate}=${String(value)}`),
  ];
  return [
    `${name} ${before === next ? next : `${before} → ${next}`}`,
    `${replicas === now ? now : `${replicas} → ${now}`} of it`,
    ...(own.length > 0 ? [`with ${own.join(" ")}`] : []),
  ].join(", ");
}
