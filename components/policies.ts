import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { ControlPlane } from "./control-plane.ts";
import type { PolicyObject } from "../spec/policies.ts";

export interface PoliciesArgs {
  readonly policies: readonly PolicyObject[];
  /** For objects in the Karmada API. */
  readonly provider: k8s.Provider;
  /** What to wait for: an API that takes policies, with its webhook. */
  readonly needs: readonly pulumi.Resource[];
  /** What takes every object with it when it is deleted. @default nothing: they are deleted one by one */
  readonly owner?: pulumi.Resource;
}

/** Makes them, should there be any, once the control plane takes policies. */
export function declarePolicies(
  name: string,
  policies: readonly PolicyObject[],
  { api, gate }: Pick<ControlPlane, "api" | "gate">,
  parent: pulumi.Resource,
  owner?: pulumi.Resource,
): void {
  if (policies.length === 0) return;
  const args = { policies, provider: api.provider, needs: [gate], ...(owner && { owner }) };
  new Policies(name, args, { parent });
}

/**
 * The policies of the stack file, an object each in the Karmada API. They wait for no member: a policy may name one that is
 * still to join. Deleting one leaves where it is what it has placed.
 */
export class Policies extends pulumi.ComponentResource {
  constructor(name: string, { policies, provider, needs, owner }: PoliciesArgs, opts: pulumi.ComponentResourceOptions) {
    super("karmada:policies:Policies", name, {}, opts);
    const child = {
      parent: this,
      provider,
      dependsOn: [...needs],
      ...(owner === undefined ? {} : { deletedWith: owner }),
    };
    for (const { kind, name: object, namespace, spec } of policies) {
      const key = [kind, ...(namespace === undefined ? [] : [namespace]), object].join("/");
      new k8s.apiextensions.CustomResource(
        `${name}-${key}`,
        {
          apiVersion: "policy.karmada.io/v1alpha1",
          kind,
          metadata: { name: object, ...(namespace === undefined ? {} : { namespace }) },
          spec,
        },
        child,
      );
    }
    this.registerOutputs({});
  }
}
