import { estimator, type ProgramName, type Workload } from "../../lib/adoption/workloads.ts";
import { carriedFlags } from "./carried-flags.ts";

interface Components {
  /** By program, as in `controlPlane`. */
  readonly settings: Readonly<Record<string, object>>;
  readonly notes: readonly string[];
}

/** The settings of every program but etcd, as its pods had them. */
export function componentsOf(workloads: readonly Workload[]): Components {
  const notes: string[] = [];
  const settings: Record<string, object> = {};
  for (const workload of workloads) {
    const { program, replicas, flags } = workload;
    if (program === "etcd" || settings[program] !== undefined) continue;
    const gates = gatesOf(flags["feature-gates"]);
    const carried = carriedFlags(workload);
    const { v: verbosity, ...extraArgs } = carried.extraArgs;
    notes.push(...carried.notes);
    settings[program] = {
      ...((program === estimator || addons.has(program)) && { enabled: true }),
      ...(program !== estimator && { replicas: Math.min(5, Math.max(1, replicas)) }),
      ...(Object.keys(gates).length > 0 && { featureGates: gates }),
      ...(verbosity !== undefined && { logLevel: Math.min(10, Number(verbosity)) }),
      ...(Object.keys(extraArgs).length > 0 && { extraArgs }),
    };
  }
  return { settings, notes };
}

const addons: ReadonlySet<ProgramName> = new Set(["karmada-descheduler", "karmada-search", "karmada-metrics-adapter"]);

const gatesOf = (text = ""): Record<string, boolean> =>
  Object.fromEntries(
    text.split(",").flatMap((each) => {
      const [gate = "", value = ""] = each.trim().split("=");
      return gate === "" ? [] : [[gate, value.toLowerCase() === "true"]];
    }),
  );
