import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { Failover } from "../spec/failover.ts";
import { nothingBelongs } from "./nothing-belongs.ts";

/**
 * Has Karmada taint members that are not Ready, where that is switched on, so that what runs there is placed elsewhere, and
 * take the taint away when they are back. It does not take it away when this goes: a member that is lost by then keeps it.
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
      metadata: { name: "failover", annotations: nothingBelongs },
      spec: {
        addOnConditions: [{ ...isReady, operator: "NotIn" }],
        removeOnConditions: [{ ...isReady, operator: "In" }],
        taints: [{ key: "not-ready", effect: "NoExecute" }],
      },
    },
    opts,
  );
}
