import type { KubeClient } from "../kube/client.ts";

/**
 * Has karmada-webhook look at a policy, both as one that changes it and as one that may refuse it.
 *
 * @throws with what kept it from that
 */
export async function admitPolicy(plane: KubeClient): Promise<void> {
  const policies = "/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies";
  await plane.create(policies, policy, { query: { dryRun: "All" }, timeout: 5000 });
}

/** The least a policy needs to pass the validating webhook; it is never stored. */
const policy = {
  apiVersion: "policy.karmada.io/v1alpha1",
  kind: "PropagationPolicy",
  metadata: { generateName: "karmada-pulumi-gate-" },
  spec: {
    resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", name: "karmada-pulumi-gate" }],
    placement: {},
  },
};
