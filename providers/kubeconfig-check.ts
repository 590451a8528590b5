import { kubeconfigProblems } from "../lib/kube/kubeconfig.ts";
import type { Problem } from "./implementation.ts";

/** Problems in a preview with those of the named inputs that are known, each a kubeconfig. */
export function checkKubeconfigs<Name extends string>(
  inputs: { readonly [K in Name]?: string | undefined },
  names: readonly Name[],
): Problem[] {
  return names.flatMap((property) => {
    const kubeconfig = inputs[property];
    if (kubeconfig === undefined) return [];
    return problemsOf(kubeconfig).map((reason) => ({ property, reason }));
  });
}

/** Every member gets the same kubeconfig of the control plane, and parsing one takes half a millisecond or more. */
function problemsOf(kubeconfig: string): readonly string[] {
  const known = problems.get(kubeconfig) ?? kubeconfigProblems(kubeconfig);
  problems.set(kubeconfig, known);
  return known;
}

const problems = new Map<string, readonly string[]>();
