import { z } from "zod";
import { type Resolved, whole, words } from "../field.ts";
import { trigger } from "../values/trigger.ts";
import { objectName } from "./placement-policy.ts";

const workload = z.strictObject({
  apiVersion: words('a group and version such as "apps/v1"').describe("Group and version, for instance `apps/v1`."),
  kind: words('a kind such as "Deployment"').describe("Kind, for instance `Deployment`."),
  namespace: objectName.optional().describe("Namespace. Default: none, for kinds that are in none."),
  name: words("the name of an object").describe("Its name."),
});

/**
 * Asks once for workloads to be rescheduled, which Karmada does not do by itself when a member joins or returns
 * (https://karmada.io/docs/userguide/scheduling/workload-rebalancer).
 */
export const workloadRebalancer = z.strictObject({
  kind: z
    .literal("WorkloadRebalancer")
    .describe("Schedules workloads anew, once: where they run is forgotten, and decided again."),
  name: objectName.describe("Name of the object."),
  workloads: z.array(workload).min(1).describe("What is scheduled anew; another list makes it happen again."),
  trigger: trigger
    .optional()
    .describe(
      "Another text or number than before makes it happen again, with the same workloads too. Taking it away does nothing.",
    ),
  ttlSecondsAfterFinished: whole(0, 2 ** 31 - 1)
    .optional()
    .describe(
      "Seconds until Karmada deletes the object after it has finished. Default: it stays while it is declared.",
    ),
});

/** A WorkloadRebalancer as the layers above work with it. */
export type Rebalancer = Resolved<z.output<typeof workloadRebalancer>, string>;
