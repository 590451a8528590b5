import { z } from "zod";
import type { Problem } from "./problems.ts";

/**
 * The versions of Kubernetes and etcd each Karmada version is installed with here; the first of each is the default.
 */
export const supportedVersions = {
  "1.18.2": { kubernetes: ["1.35.3", "1.35.8", "1.34.12", "1.34.3"], etcd: ["3.6.6", "3.6.16", "3.6.8", "3.5.35"] },
  "1.17.1": { kubernetes: ["1.35.3", "1.35.8", "1.34.12", "1.34.3"], etcd: ["3.6.6", "3.6.16", "3.6.8", "3.5.35"] },
} as const;

export type KarmadaVersion = keyof typeof supportedVersions;

/** Every pinned version of each publisher; the first of each is the default. */
export const pinnedVersions = {
  karmada: ["1.18.2", "1.17.1"],
  kubernetes: ["1.35.3", "1.35.8", "1.34.12", "1.34.3"],
  etcd: ["3.6.6", "3.6.16", "3.6.8", "3.5.35"],
} as const;

/**
 * The oldest and the newest minor version of Kubernetes in members with which the authors of Karmada test a minor version of it.
 * https://github.com/karmada-io/karmada/tree/v1.18.2#kubernetes-compatibility
 */
const testedMembers: Readonly<Record<string, readonly [string, string]>> = {
  "1.18": ["1.26", "1.35"],
  "1.17": ["1.26", "1.35"],
};

/**
 * The oldest and the newest minor version of Kubernetes in members that a version of Karmada such as `1.18.2` is tested
 * with; undefined where that is not known.
 */
export const membersTestedWith = (karmada: string): readonly [string, string] | undefined =>
  testedMembers[karmada.split(".").slice(0, 2).join(".")];

export const versions = z
  .strictObject({
    karmada: pinned("karmada").describe("Version of every Karmada component, and of Karmada's definitions."),
    kubernetes: pinned("kubernetes").describe("Version of kube-apiserver and kube-controller-manager."),
    etcd: pinned("etcd").describe("Version of the etcd members, when etcd is managed."),
    allowDowngrade: z
      .boolean()
      .default(false)
      .describe(
        "Whether an older minor version of Karmada or Kubernetes may take the place of a newer one, and minor versions may be skipped: what neither promises to work.",
      ),
  })
  .prefault({})
  .describe("Versions of what is installed.");

/** The version of each publisher's programs. */
export type Versions = Pick<z.output<typeof versions>, keyof typeof pinnedVersions>;

/** Finds versions that are not supported together. */
export function checkVersions(chosen: Versions, supported: Supported = supportedVersions): Problem[] {
  const with_ = supported[chosen.karmada];
  if (!with_) return [];
  return (["kubernetes", "etcd"] as const)
    .filter((component) => !with_[component].includes(chosen[component]))
    .map((component) => ({
      path: ["versions", component],
      message: `got "${chosen[component]}", want ${with_[component].map((v) => `"${v}"`).join(" or ")} with versions.karmada "${chosen.karmada}"`,
    }));
}

function pinned<P extends keyof typeof pinnedVersions>(publisher: P) {
  const numbers: (typeof pinnedVersions)[P] = pinnedVersions[publisher];
  return z.enum(numbers).default(numbers[0]);
}

type Supported = Readonly<Record<string, { readonly kubernetes: readonly string[]; readonly etcd: readonly string[] }>>;
