import { kubeconfigProblems } from "../lib/kube/kubeconfig.ts";
import type { Problem } from "./implementation.ts";

/** What can be said in a preview against those of the named inputs that are known, each a kubeconfig. */
export function checkKubeconfigs<Name extends string>(
  inputs: { readonly [K in Name]?: string | undefined },
  names: readonly Name[],
): Problem[] {
  return names.flatMap((property) => {
    const kubeconfig = inputs[property];
    if (kubeconfig === undefined) return [];
    return kubeconfigProblems(kubeconfig).map((reason) => ({ property, reason }));
  });
}
