import { parse, stringify } from "yaml";

/** A kubeconfig with another current context. What is wrong with it is said by whoever reads it to connect. */
export function selectContext(kubeconfig: string, context: string): string {
  return stringify({ ...(parse(kubeconfig) as object), "current-context": context });
}
