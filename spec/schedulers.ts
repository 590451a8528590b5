import { closest } from "./closest.ts";
import type { Deployment } from "./deployment.ts";
import { policyTitle } from "./policies.ts";

/** Karmada's own, unless it is told another name. */
const usual = "default-scheduler";

/** Policies that name a scheduler which nobody has declared, a sentence each: what they select may run nowhere. */
export function schedulerWarnings({
  policies,
  controlPlane,
}: Pick<Deployment<unknown>, "policies" | "controlPlane">): string[] {
  const { schedulers, "karmada-scheduler": own } = controlPlane;
  const known = [own.extraArgs["scheduler-name"] ?? usual, ...schedulers];
  return policies.flatMap((policy, i) => {
    if (!policy.kind.endsWith("PropagationPolicy")) return [];
    const { schedulerName: named = usual } = policy.spec as { schedulerName?: string };
    if (known.includes(named)) return [];
    const meant = closest(named, known);
    return [
      `policies[${i}].schedulerName: got "${named}", which is none of ${known.join(", ")}: what ${policyTitle(policy)} selects runs nowhere, unless a scheduler of that name does; ` +
        (meant === undefined ? "name it in controlPlane.schedulers then" : `did you mean "${meant}"?`),
    ];
  });
}
