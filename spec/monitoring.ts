import { z } from "zod";
import type { Problem } from "./problems.ts";

export const monitoring = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        "Whether there is a certificate for a Prometheus, which may read metrics and nothing else, and an output with all that answers for them: `npm run monitoring` writes a configuration from it.",
      ),
  })
  .prefault({})
  .describe("Metrics and alerts.");

export type Monitoring = z.output<typeof monitoring>;

/** What is scraped has to have the same address from one `up` to the next. */
export function checkMonitoring({ enabled }: Monitoring, placement: { readonly kind: string }): Problem[] {
  if (!enabled || placement.kind !== "kubernetes") return [];
  return [
    {
      path: ["monitoring", "enabled"],
      message: `got true, want false with placement.kind "kubernetes": addresses of pods change; a Prometheus of the host cluster finds them by itself, and placement.networkPolicies.metricsFrom lets it in`,
    },
  ];
}
