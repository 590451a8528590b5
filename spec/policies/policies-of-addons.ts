import type { Addon } from "../addons/addons.ts";
import { identityOf } from "../addons/object-scope.ts";
import type { Problem } from "../problems.ts";
import { apiVersionOf, type Policy } from "./policies.ts";

/** Finds objects of addons that are in `policies` too: each would undo what the other declares. */
export function checkPoliciesOfAddons(addons: readonly Addon[], policies: readonly Policy[]): Problem[] {
  const declared = new Map(policies.flatMap((policy, i) => identitiesOf(policy).map((identity) => [identity, i])));
  return addons.flatMap(({ name, target, objects }, i) => {
    if (target.kind !== "controlPlane" && target.kind !== "propagated") return [];
    return objects.map(identityOf).flatMap((identity) => {
      const at = declared.get(identity);
      if (at === undefined) return [];
      const message = `${name}: ${identity} is in policies[${at}] already, want it in one of them; if both are there by now, it is deleted with the one that is taken out: run \`up --refresh\` after that`;
      return [{ path: ["addons", i, "source"], message }];
    });
  });
}

/** What is no object to keep, such as a WorkloadRebalancer, is none. */
function identitiesOf(policy: Policy): string[] {
  if (policy.kind === "WorkloadRebalancer") return [];
  const { kind, name } = policy;
  const namespace = "namespace" in policy ? { namespace: policy.namespace } : {};
  return [identityOf({ apiVersion: apiVersionOf(kind), kind, metadata: { name, ...namespace } })];
}
