import { Display } from "../../toolchain/display.ts";
import { install, locate, programsOf, type ProgramRef, type VersionSet } from "../../toolchain/index.ts";
import { findOfficial } from "../../toolchain/pulumi/official.ts";
import type { StackFile } from "./stack-file.ts";

/** Programs of the pinned list that not every deployment on this machine needs. */
const notAlways: ReadonlySet<string> = new Set([
  "kubelet",
  "kube-proxy",
  "coredns",
  "karmada-agent",
  "karmada-scheduler-estimator",
  "helm",
  "crane",
]);

/** Programs of simulated members, which exist only on this machine. */
const simulation: ReadonlySet<string> = new Set(["kube-scheduler", "kwok"]);

/** Programs for managing a deployment, wherever its servers are. */
const managing: ReadonlySet<string> = new Set(["pulumi", "kubectl", "karmadactl", "karmada-crds"]);

/** Programs to take and restore snapshots from this machine, and to render charts. */
const besideServers: ReadonlySet<string> = new Set(["etcd", "etcdutl", "helm"]);

/**
 * Makes sure that every program a stack needs is installed, pulumi included if there is no official one, and shows
 * progress. Existing ones are neither touched nor shown.
 *
 * @returns how many programs there are, and how many were missing
 * @throws NotObtained naming each program no source could give, and what to do
 */
export async function installPrograms(
  stack: NeedyStack,
  signal: AbortSignal,
): Promise<{ readonly count: number; readonly missing: number }> {
  const hasPulumi = !("lacking" in (await findOfficial(process.env)));
  const wanted = neededPrograms(stack).filter(({ name }) => !(hasPulumi && name === "pulumi"));
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

/** The parts of a stack file that decide which programs are needed here. */
type NeedyStack = Pick<StackFile, "placement" | "programs" | "ownVersions"> & { readonly versions: VersionSet };

/** The programs that run on this machine, or are sent from here to hosts. Pods get theirs from images. */
export function neededPrograms({ versions, ownVersions, placement, programs }: NeedyStack): ProgramRef[] {
  const isNeeded = {
    local: (name: string) => !notAlways.has(name) || programs.includes(name),
    hosts: (name: string) => (!notAlways.has(name) && !simulation.has(name)) || programs.includes(name),
    kubernetes: (name: string) => managing.has(name) || (besideServers.has(name) && programs.includes(name)),
    none: (name: string) => name === "pulumi" || programs.includes(name),
  };
  return programsOf(versions)
    .filter(({ name }) => isNeeded[placement](name))
    .map(({ name, version }) => ({ name, version: ownVersions[name] ?? version }));
}
