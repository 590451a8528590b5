import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { nothingBelongs } from "./nothing-belongs.ts";

/**
 * Has Karmada taint members that are not Ready, so that what runs there is placed elsewhere, and take the taint away when
 * they are back. Karmada does not take it away when the policy goes: a member that is lost by then keeps it.
 */
export const declareFailover = (name: string, opts: pulumi.CustomResourceOptions): pulumi.Resource =>
  new k8s.apiextensions.CustomResource(
    name,
    {
      apiVersion: "policy.karmada.io/v1alpha1",
      kind: "ClusterTaintPolicy",
      metadata: { name: "failover", annotations: nothingBelongs },
      spec: {
        addOnConditions: [{ conditionType: "Ready", operator: "NotIn", statusValues: ["True"] }],
        removeOnConditions: [{ conditionType: "Ready", operator: "In", statusValues: ["True"] }],
        taints: [{ key: "not-ready", effect: "NoExecute" }],
      },
    },
    opts,
  );
