import { z } from "zod";
import type { Problem } from "./problems.ts";

/** What of Kubernetes and etcd each Karmada version is installed with here; the first of each is the default. */
export const supportedVersions = {
  "1.18.2": { kubernetes: ["1.35.3", "1.34.3"], etcd: ["3.6.6", "3.6.8", "3.5.35"] },
  "1.17.1": { kubernetes: ["1.35.3", "1.34.3"], etcd: ["3.6.6", "3.6.8", "3.5.35"] },
} as const;

export type KarmadaVersion = keyof typeof supportedVersions;

export const versions = z
  .strictObject({
    karmada: z.enum(["1.18.2", "1.17.1"]).default("1.18.2").describe("Version of every Karmada component."),
    kubernetes: z
      .enum(["1.35.3", "1.34.3"])
      .default("1.35.3")
      .describe("Version of kube-apiserver and kube-controller-manager."),
    etcd: z
      .enum(["3.6.6", "3.6.8", "3.5.35"])
      .default("3.6.6")
      .describe("Version of the etcd members, when etcd is managed."),
  })
  .prefault({})
  .describe("Versions of what is installed.");

export type Versions = z.output<typeof versions>;

/** Finds versions that are not installed together. */
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

type Supported = Readonly<Record<string, { readonly kubernetes: readonly string[]; readonly etcd: readonly string[] }>>;
