/**
 * Early renewal: a certificate that is due is marked when it is read and replaced when it is planned.
 * https://github.com/hashicorp/terraform-provider-tls/blob/main/internal/provider/common_cert.go
 */
import { UNKNOWN } from "../server/index.ts";
import type { Plain, Plan, State } from "../bridge/schema.ts";

const HOUR_MS = 3_600_000;

/** Plans the replacement of a certificate that is due. */
export function replaceWhenDue(plan: Plan): void {
  if (!isDue(plan.planned)) return;
  plan.planned["readyForRenewal"] = UNKNOWN;
  plan.replaces.add("readyForRenewal");
}

/** Marks a certificate that is due. */
export function markWhenDue(state: State): State {
  return isDue(state) ? { ...state, readyForRenewal: true } : state;
}

/** A certificate that is due from the start is made with that mark. */
export function planReadyForRenewal(planned: Plain, { planned: all }: Plan): Plain {
  const [validity, early] = [all["validityPeriodHours"], all["earlyRenewalHours"]];
  // the provider reads a validity that is not known yet as 0
  if (typeof validity !== "number" || validity === 0) return true;
  return typeof early === "number" && early >= validity ? true : planned;
}

function isDue(state: State): boolean {
  const { validityEndTime: end, earlyRenewalHours: early } = state;
  if (typeof end !== "string") return false;
  const renewal = Date.parse(end) - (typeof early === "number" ? early : 0) * HOUR_MS;
  if (Number.isNaN(renewal)) throw new Error(`Failed to parse data from string: ${end}: not an RFC 3339 time`);
  return renewal <= Date.now();
}
