import { z } from "zod";
import { fieldNotes } from "../field.ts";
import type { Problem } from "../problems.ts";
import type { ControlPlane } from "./control-plane.ts";

/** What happens to workloads whose member is lost: all of Karmada's settings for that, together. */
export const failover = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        "Whether workloads of a member that is not Ready are placed in others, by a taint `not-ready` with NoExecute; what a policy tolerates by `placement.clusterTolerations` stays. A member that only cannot be reached goes on running its own until it is back: more run than are declared, so keep what may run once only out of it by a toleration.",
      ),
    evictionsPerSecond: z
      .number()
      .positive()
      .max(1000)
      .register(fieldNotes, { want: "a number above 0, at most 1000" })
      .default(10)
      .describe(
        "How many workloads and other objects of lost members are placed anew in a second. Karmada's own default is 0.5.",
      ),
    purge: z
      .enum(["Gracefully", "Directly"])
      .default("Gracefully")
      .describe(
        "When they are taken out of the member that is lost: once they are healthy elsewhere, ten minutes at most, or at once.",
      ),
  })
  .prefault({})
  .describe("Failover of members. Replicas do not come back by themselves: a WorkloadRebalancer brings them.");

export type Failover = z.output<typeof failover>;

/** Finds a contradicting feature gate. */
export function checkFailover({ failover: { enabled }, ...components }: ControlPlane): Problem[] {
  const path = ["controlPlane", "karmada-controller-manager", "featureGates", "Failover"];
  const gate = components["karmada-controller-manager"].featureGates["Failover"];
  if (!enabled || gate !== false) return [];
  return [{ path, message: "got false, want it left out: controlPlane.failover.enabled switches it on" }];
}
