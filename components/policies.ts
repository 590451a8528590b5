import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { AcceptedPolicies, type DeclaredObject } from "../providers/accepted-policies.ts";
import { Rebalancing } from "../providers/rebalancing.ts";
import { apiVersionOf, type PolicyObject } from "../spec/policies/policies.ts";
import type { Rebalancer } from "../spec/policies/rebalancer.ts";
import { policiesType, policyObjectName } from "./object-names.ts";
import { withoutDependents } from "./without-dependents.ts";

/** The policies, and the API that takes them. */
export interface PoliciesArgs {
  readonly policies: readonly PolicyObject[];
  /** What is rescheduled, once. */
  readonly rebalancers: readonly Rebalancer[];
  /** For objects in the Karmada API. */
  readonly provider: k8s.Provider;
  /** Kubeconfig for the Karmada API, with every right. */
  readonly karmadaKubeconfig: pulumi.Input<string>;
  /** What to wait for: an API that takes policies, with its webhook. */
  readonly needs: readonly pulumi.Resource[];
  /** What to wait for before anything is rescheduled: the members. */
  readonly joined: readonly pulumi.Resource[];
  /** By what else Pulumi may know one of them. @default nothing */
  readonly formerly?: (object: DeclaredObject) => pulumi.Alias[];
  /** Takes every object with it when it is deleted. @default nothing: they are deleted one by one */
  readonly owner?: pulumi.Resource;
}

/** Makes them, if there are any, once the control plane accepts policies. */
export function declarePolicies(name: string, args: PoliciesArgs, parent: pulumi.Resource): void {
  if (args.policies.length + args.rebalancers.length > 0) new Policies(name, args, { parent });
}

/**
 * The policies of the stack file, an object each in the Karmada API. They wait for no member: a policy may name one
 * that is still to join. Deleting one leaves what it placed where it is. Rescheduling comes after all of them.
 */
export class Policies extends pulumi.ComponentResource {
  constructor(name: string, args: PoliciesArgs, opts: pulumi.ComponentResourceOptions) {
    super(policiesType, name, {}, opts);
    const child = { parent: this, ...(args.owner === undefined ? {} : { deletedWith: args.owner }) };
    const objects = args.policies.map(objectOf);
    const { karmadaKubeconfig } = args;
    const accepted = new AcceptedPolicies(`${name}-accepted`, { objects, karmadaKubeconfig }, child);
    const kept = objects.map((object) =>
      this.keep(name, object, args, { ...child, dependsOn: [accepted, ...args.needs] }),
    );
    for (const { kind, name: object, ...rebalancer } of args.rebalancers) {
      new Rebalancing(
        `${name}-${kind}/${object}`,
        { ...rebalancer, name: object, karmadaKubeconfig, timeoutSeconds: 60 },
        { ...child, dependsOn: [...args.needs, ...args.joined, ...kept] },
      );
    }
    this.registerOutputs({});
  }

  private keep(
    name: string,
    object: DeclaredObject,
    { provider, formerly = () => [] }: PoliciesArgs,
    opts: pulumi.CustomResourceOptions,
  ): pulumi.Resource {
    const noted = { ...object, metadata: { ...object.metadata, annotations: withoutDependents } };
    return new k8s.apiextensions.CustomResource(policyObjectName(name, object), noted, {
      ...opts,
      provider,
      aliases: formerly(object),
      // One of an addon has another provider: it is made again, and is the same object.
      deleteBeforeReplace: true,
    });
  }
}

const objectOf = ({ kind, name, namespace, ...fields }: PolicyObject): DeclaredObject => ({
  apiVersion: apiVersionOf(kind),
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  ...fields,
});
