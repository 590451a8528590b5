import { hostPlatform } from "./platform.ts";
import type { Platform, ProgramRef, ProgramSet } from "./program.ts";
import { cfssl } from "./programs/cfssl.ts";
import { coredns } from "./programs/coredns.ts";
import { crane } from "./programs/crane.ts";
import { etcd } from "./programs/etcd.ts";
import { helm } from "./programs/helm.ts";
import { istio } from "./programs/istio.ts";
import { karmada } from "./programs/karmada.ts";
import { karmadaInstallers } from "./programs/karmada-installers.ts";
import { kubernetes } from "./programs/kubernetes.ts";
import { kwok } from "./programs/kwok.ts";
import { networkProxy } from "./programs/network-proxy.ts";
import { plugins } from "./programs/plugins.ts";
import { prometheus } from "./programs/prometheus.ts";
import { prometheusOperator, prometheusOperatorPods } from "./programs/prometheus-operator.ts";
import { pulumi } from "./programs/pulumi.ts";
import { versitygw } from "./programs/versitygw.ts";

/** The pinned versions of what a deployment names; the first of each is the default. */
export const versions = {
  karmada: ["1.18.2", "1.17.1"],
  kubernetes: ["1.35.3", "1.35.8", "1.34.12", "1.34.3"],
  etcd: ["3.6.6", "3.6.16", "3.6.8", "3.5.35"],
} as const;

/** Versions of the three publishers a deployment chooses from. */
export interface VersionSet {
  readonly karmada: string;
  readonly kubernetes: string;
  readonly etcd: string;
}

export const defaultVersions: VersionSet = {
  karmada: versions.karmada[0],
  kubernetes: versions.kubernetes[0],
  etcd: versions.etcd[0],
};

/** The pinned list. */
export const catalogue: readonly ProgramSet[] = [
  pulumi("3.259.0"),
  ...versions.etcd.map(etcd),
  ...versions.kubernetes.map(kubernetes),
  ...versions.karmada.map(karmada),
  kwok("0.8.0"),
  coredns("1.14.7"),
  helm("4.2.4"),
  crane("0.22.1"),
  plugins,
  versitygw("1.8.0"),
  prometheusOperator("0.85.0"),
  networkProxy("0.34.0"),
  karmadaInstallers("1.18.2"),
  cfssl("1.6.5"),
  prometheus("0.311.0"),
  prometheusOperatorPods("0.85.0"),
  istio("0.0.0-20260827124520-eed52ebb66ad"),
];

/**
 * Every program one version set needs on a platform: its servers and clients, Karmada's CRDs, and what serves
 * any version (pulumi, kwok, CoreDNS, helm, crane).
 * @throws when the list has no such version; `versions` says which there are
 */
export function programsOf(wanted: VersionSet, platform: Platform = hostPlatform()): ProgramRef[] {
  const names = [
    "pulumi-3.259.0",
    `etcd-${wanted.etcd}`,
    `kubernetes-${wanted.kubernetes}`,
    `karmada-${wanted.karmada}`,
    "kwok-0.8.0",
    "coredns-1.14.7",
    "helm-4.2.4",
    "crane-0.22.1",
  ];
  return names
    .flatMap((name) => setNamed(name).programs)
    .filter((program) => program.platforms?.includes(platform) ?? true)
    .map(({ name, version }) => ({ name, version }));
}

function setNamed(name: string): ProgramSet {
  const set = catalogue.find((candidate) => candidate.name === name);
  if (set) return set;
  const publisher = name.replace(/-[^-]*$/, "");
  const known = catalogue.map((candidate) => candidate.name).filter((candidate) => candidate.startsWith(publisher));
  throw new Error(`no pinned version ${name}, there is ${known.join(", ")}`);
}
