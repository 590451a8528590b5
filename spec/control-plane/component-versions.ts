import { gt, minor, parse } from "semver";
import { type SettableProgram, settablePrograms } from "./component-names.ts";
import type { Problem } from "../problems.ts";
import { supportedVersions, type Versions } from "../versions.ts";
import { publisherOf } from "./program-flags.ts";

/** The versions that single programs were given. */
export type OwnVersions = { readonly [K in SettableProgram]: { readonly version?: string | undefined } };

/** The version of a program: its own, or that of all of its publisher. */
export const versionOf = (program: SettableProgram, own: OwnVersions, versions: Versions): string =>
  own[program].version ?? versions[publisherOf(program) as "karmada" | "kubernetes"];

/**
 * The newest version of Karmada among the programs. Karmada's CRDs are of that version: a program may find fields in
 * them that it does not know, but must not miss any it writes.
 */
export const newestKarmada = (own: OwnVersions, versions: Versions): string =>
  settablePrograms
    .filter((program) => publisherOf(program) === "karmada")
    .map((program) => versionOf(program, own, versions))
    .reduce((newest, version) => (gt(version, newest) ? version : newest), versions.karmada);

/**
 * Finds programs whose versions do not fit together. Sources: Kubernetes' version skew policy, by which
 * kube-controller-manager may be one minor version older than kube-apiserver and never newer; Karmada's "How to
 * upgrade", which knows steps of one minor version.
 */
export function checkSkew(own: OwnVersions, versions: Versions): Problem[] {
  const problem = (program: SettableProgram, want: string): Problem => ({
    path: ["controlPlane", program, "version"],
    message: `got "${versionOf(program, own, versions)}", want ${want}`,
  });
  const newest = newestKarmada(own, versions);
  const server = versionOf("kube-apiserver", own, versions);
  const manager = versionOf("kube-controller-manager", own, versions);
  const known: readonly string[] = supportedVersions[versions.karmada].kubernetes;
  const isUnknown = own["kube-apiserver"].version !== undefined && !known.includes(server);
  return [
    ...settablePrograms
      .filter((program) => publisherOf(program) === "karmada" && !isNear(versionOf(program, own, versions), newest))
      .map((program) => problem(program, `at most one minor version before ${newest}, the newest of Karmada here`)),
    ...(isUnknown
      ? [problem("kube-apiserver", `${known.join(" or ")} with versions.karmada "${versions.karmada}"`)]
      : []),
    ...(gt(manager, server) || !isNear(manager, server)
      ? [
          problem(
            "kube-controller-manager",
            `that of kube-apiserver, ${server}, or at most one minor version before it`,
          ),
        ]
      : []),
  ];
}

const isNear = (version: string, newest: string): boolean =>
  parse(version)?.major === parse(newest)?.major && minor(newest) - minor(version) <= 1;
