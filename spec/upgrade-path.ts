import { major, minor } from "semver";

/** A step between versions of one publisher. */
export interface VersionStep {
  readonly from: string;
  readonly to: string;
}

/**
 * Why a step is unsupported; undefined for patches in either direction and for the next minor version. Sources:
 * Kubernetes' version skew policy (an API server goes through every minor version, and not back); Karmada's "How to
 * upgrade" (no jumps over minor versions).
 */
export function stepProblem({ from, to }: VersionStep): string | undefined {
  if (major(to) === major(from) && minor(to) === minor(from)) return undefined;
  if (major(to) === major(from) && minor(to) === minor(from) + 1) return undefined;
  const isOlder = major(to) < major(from) || (major(to) === major(from) && minor(to) < minor(from));
  return isOlder
    ? `${from} is there, and nobody promises that ${to} reads what it has written`
    : `${from} is there, and nobody promises that the versions before ${to} can be skipped`;
}
