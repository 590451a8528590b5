import type { KubeObject } from "./client.ts";

/**
 * Why a namespace that is being deleted is still there, in the words of the cluster's namespace controller: an API
 * whose server is away, for instance, or finalizers that nobody removes.
 *
 * @param silent used when it says nothing
 */
export function whyStillThere(namespace: KubeObject, silent = "it is being deleted"): string {
  const conditions = (namespace.status?.conditions ?? []) as { readonly status: string; readonly message?: string }[];
  const reasons = conditions.flatMap(({ status, message }) => (status === "True" && message ? [message] : []));
  return reasons.join("; ") || silent;
}
