import { Display } from "../../toolchain/display.ts";
import { install, locate, programsOf, type ProgramRef, type VersionSet } from "../../toolchain/index.ts";
import { findOfficial } from "../../toolchain/pulumi/official.ts";

/** Programs of the pinned list that not every deployment on this machine runs. */
const notAlways: ReadonlySet<string> = new Set([
  "kubelet",
  "kube-proxy",
  "coredns",
  "karmada-agent",
  "karmada-scheduler-estimator",
  "helm",
]);

/**
 * Makes sure that every program a stack runs is there, pulumi included when there is no official one, and shows how far
 * it is. What is there already is neither touched nor shown.
 *
 * @param more programs that only some stacks run, and this one does
 * @returns how many programs there are, and how many were missing
 * @throws NotObtained naming each program no source could give, and what to do
 */
export async function installPrograms(
  versions: VersionSet,
  more: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly count: number; readonly missing: number }> {
  const wanted = await neededPrograms(versions, more);
  const found = await Promise.all(wanted.map((program) => locate(program)));
  const missing = wanted.filter((_, i) => !found[i]);
  if (missing.length > 0) {
    console.error(`programs: ${missing.length} of ${wanted.length} are missing; building them can take ten minutes`);
    const display = new Display(process.stderr);
    try {
      await install(missing, { signal, onProgress: (progress) => display.show(progress) });
    } finally {
      display.close();
    }
  }
  return { count: wanted.length, missing: missing.length };
}

async function neededPrograms(versions: VersionSet, more: readonly string[]): Promise<ProgramRef[]> {
  const official = await findOfficial(process.env);
  const wanted = (name: string) => !notAlways.has(name) || more.includes(name);
  return programsOf(versions).filter(({ name }) => wanted(name) && !(official && name === "pulumi"));
}
