import type { PlaneProgram, Sign } from "../lib/plane/program.ts";
import { type ComponentName, componentNames } from "../spec/control-plane/component-names.ts";
import type { Placement } from "./placement.ts";
import type { Process } from "./process.ts";
import { type ControlPlaneProcesses, apiserverName } from "./processes/control-plane.ts";

type Lease = Extract<Sign, { kind: "lease" }>;

/** The programs that a control plane has, with what shows whether each works. */
export function planePrograms(
  processes: ControlPlaneProcesses,
  placement: Pick<Placement, "probeFromHere" | "hostName">,
): readonly PlaneProgram[] {
  return componentNames.flatMap((name) => {
    const [first] = processes[name];
    if (first === undefined) return [];
    return [{ name, sign: signOf(name, leaseOf(first) ?? signAlone(first, placement)) }];
  });
}

/**
 * The same of a stack that no release has brought up yet that tells them. Whether a single program of it holds a lease
 * is not known.
 *
 * @param versions of its processes, by name
 */
export function formerPrograms(versions: Readonly<Record<string, string>>): readonly PlaneProgram[] {
  return componentNames.flatMap((name) => {
    const first = name === "kube-apiserver" ? apiserverName : name;
    if (versions[first] === undefined) return [];
    return [{ name, sign: signOf(name, versions[`${first}-1`] === undefined ? { kind: "none" } : usualLease(name)) }];
  });
}

/** @param ofController what shows it of a controller */
function signOf(component: ComponentName, ofController: Sign): Sign {
  switch (component) {
    case "kube-apiserver":
      return { kind: "readyz" };
    case "karmada-webhook":
      return { kind: "admission" };
    case "karmada-aggregated-apiserver":
    case "karmada-search":
    case "karmada-metrics-adapter":
      return { kind: "apis", service: component };
    case "kube-controller-manager":
    case "karmada-controller-manager":
    case "karmada-scheduler":
    case "karmada-descheduler":
      return ofController;
  }
}

/** That of one that is in no election. */
function signAlone(process: Process, placement: Pick<Placement, "probeFromHere" | "hostName">): Sign {
  const probe = placement.probeFromHere?.(process);
  if (probe !== undefined) return { kind: "probe", probe };
  const host = placement.hostName?.(process.name);
  return { kind: "none", ...(host !== undefined && { host }) };
}

/** The lease for which a process is in an election, by its flags, of which the last counts. */
function leaseOf({ component, args }: Process): Lease | undefined {
  const flag = (name: string) =>
    args.findLast((arg): arg is string => typeof arg === "string" && arg.startsWith(`--${name}=`))?.split("=")[1];
  if (flag("leader-elect") !== "true") return undefined;
  const usual = usualLease(component);
  return {
    ...usual,
    namespace: flag("leader-elect-resource-namespace") ?? usual.namespace,
    name: flag("leader-elect-resource-name") ?? usual.name,
  };
}

/** Upstream's defaults. */
const usualLease = (component: string): Lease => ({
  kind: "lease",
  namespace: component === "kube-controller-manager" ? "kube-system" : "karmada-system",
  name: component,
});
