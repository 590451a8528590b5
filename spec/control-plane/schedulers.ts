import { closest } from "../closest.ts";
import type { Deployment } from "../deployment.ts";
import { type PolicyObject, policyTitle } from "../policies/policies.ts";

/** Karmada's own, unless it is given another name. */
const usual = "default-scheduler";

/** The names of the schedulers of a deployment: Karmada's own, and those that are declared beside it. */
export function schedulersOf({
  schedulers,
  "karmada-scheduler": { extraArgs },
}: Deployment<unknown>["controlPlane"]): string[] {
  const { "scheduler-name": own } = extraArgs;
  return [typeof own === "string" ? own : usual, ...schedulers];
}

/**
 * Policies that name an undeclared scheduler, a sentence each: what they select may run nowhere.
 * @param where such a name belongs
 */
export function schedulerWarnings(
  policies: readonly PolicyObject[],
  known: readonly string[],
  where = "controlPlane.schedulers",
): string[] {
  return policies.flatMap((policy, i) => {
    if (!policy.kind.endsWith("PropagationPolicy")) return [];
    const { schedulerName: named = usual } = policy.spec as { schedulerName?: string };
    if (known.includes(named)) return [];
    const meant = closest(named, known);
    return [
      `policies[${i}].schedulerName: got "${named}", which is none of ${known.join(", ")}: what ${policyTitle(policy)} selects runs nowhere, unless a scheduler of that name does; ` +
        (meant === undefined ? `name it in ${where} then` : `did you mean "${meant}"?`),
    ];
  });
}
