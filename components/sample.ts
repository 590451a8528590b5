import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { withoutDependents } from "./without-dependents.ts";

/** The name of its policy in messages. */
export const samplePolicy = "PropagationPolicy default/sample";

/**
 * Something to look at: a Deployment in the namespace `default` of Karmada, and the policy that divides its replicas
 * evenly among the members. It is not awaited: members run it, not the API it is written to.
 */
export class Sample extends pulumi.ComponentResource {
  constructor(
    name: string,
    args: {
      readonly provider: k8s.Provider;
      readonly members: readonly string[];
      readonly dependsOn: readonly pulumi.Resource[];
      /** Takes the data of Karmada with it. */
      readonly owner?: pulumi.Resource;
    },
    opts: pulumi.ComponentResourceOptions,
  ) {
    super("karmada:sample:Sample", name, {}, opts);
    const { members, provider, owner } = args;
    const labels = { app: "sample" };
    const child = { parent: this, provider, ...(owner && { deletedWith: owner }) };
    const policy = new k8s.apiextensions.CustomResource(
      `${name}-policy`,
      {
        apiVersion: "policy.karmada.io/v1alpha1",
        kind: "PropagationPolicy",
        metadata: {
          name: "sample",
          namespace: "default",
          annotations: withoutDependents,
        },
        spec: {
          resourceSelectors: [{ apiVersion: "apps/v1", kind: "Deployment", name: "sample" }],
          placement: {
            clusterAffinity: { clusterNames: [...members] },
            replicaScheduling: {
              replicaSchedulingType: "Divided",
              replicaDivisionPreference: "Weighted",
              weightPreference: {
                staticWeightList: members.map((member) => ({ targetCluster: { clusterNames: [member] }, weight: 1 })),
              },
            },
          },
        },
      },
      { ...child, dependsOn: [...args.dependsOn] },
    );
    new k8s.apps.v1.Deployment(
      `${name}-deployment`,
      {
        metadata: { name: "sample", namespace: "default", labels, annotations: { "pulumi.com/skipAwait": "true" } },
        spec: {
          replicas: members.length,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { containers: [{ name: "web", image: "docker.io/library/nginx:1.29" }] },
          },
        },
      },
      { ...child, dependsOn: [policy] },
    );
    this.registerOutputs({});
  }
}
