import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { Failover } from "../spec/control-plane/failover.ts";
import { withoutDependents } from "./without-dependents.ts";

/**
 * If switched on, has Karmada taint members that are not Ready, so that their workloads are placed elsewhere, and
 * remove the taint when they are back. Deleting this does not remove taints: a member lost by then keeps it.
 */
export function declareFailover(
  name: string,
  { enabled }: Readonly<Failover>,
  opts: pulumi.CustomResourceOptions,
): void {
  if (!enabled) return;
  const isReady = { conditionType: "Ready", statusValues: ["True"] };
  new k8s.apiextensions.CustomResource(
    name,
    {
      apiVersion: "policy.karmada.io/v1alpha1",
      kind: "ClusterTaintPolicy",
      metadata: { name: "failover", annotations: withoutDependents },
      spec: {
        addOnConditions: [{ ...isReady, operator: "NotIn" }],
        removeOnConditions: [{ ...isReady, operator: "In" }],
        taints: [{ key: "not-ready", effect: "NoExecute" }],
      },
    },
    opts,
  );
}
