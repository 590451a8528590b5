import { choose } from "../../../toolchain/choose.ts";
import { hostPlatform, locate, type ProgramRef, type VersionSet } from "../../../toolchain/index.ts";

/**
 * What to obtain for a test of other versions than the defaults. Where that is not there, the test is to be skipped, and it is
 * said how to have it run: a second Karmada and Kubernetes take 13 minutes of processor time where they have to be built.
 * KARMADA_TEST_VERSIONS=all obtains them, and fails when it cannot.
 */
export async function programsOfVersions(
  title: string,
  programs: readonly string[],
  versions: VersionSet,
): Promise<{ readonly wanted: readonly ProgramRef[]; readonly skipped: boolean }> {
  const wanted = choose(programs, versions, hostPlatform());
  const found = await Promise.all(wanted.map((ref) => locate(ref)));
  const missing = wanted.filter(({ name }, i) => !found[i] && !name.startsWith("etcd"));
  const skipped = missing.length > 0 && process.env["KARMADA_TEST_VERSIONS"] !== "all";
  if (skipped) {
    const names = missing.map(({ name, version }) => `${name} ${version}`);
    const options = Object.entries(versions).map(([publisher, version]) => `--${publisher} ${version}`);
    console.warn(`SKIPPED: ${title}: no ${names.join(", ")}; npm run toolchain -- ${options.join(" ")} obtains them`);
  }
  return { wanted, skipped };
}

/** What a small deployment runs, of each publisher. */
export const smallDeployment = [
  ...["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "karmada-crds"],
  ...["karmada-aggregated-apiserver", "karmada-controller-manager", "karmada-scheduler", "karmada-webhook"],
];
