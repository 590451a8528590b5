import { z } from "zod";
import type { Problem } from "./problems.ts";

export const monitoring = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        "Whether there is a certificate for a Prometheus, which may read metrics and nothing else, and an output with all that answers for them: `npm run monitoring` writes a configuration from it. Pods let in who comes from `placement.networkPolicies.metricsFrom`.",
      ),
  })
  .prefault({})
  .describe("Metrics and alerts.");

export type Monitoring = z.output<typeof monitoring>;

/** What is scraped has to accept the scraper. */
export function checkMonitoring({ enabled }: Monitoring, placement: TypedPlacement): Problem[] {
  if (!enabled || placement.kind !== "kubernetes") return [];
  const { networkPolicies } = placement;
  if (!networkPolicies.enabled || networkPolicies.metricsFrom.length > 0) return [];
  return [
    {
      path: ["placement", "networkPolicies", "metricsFrom"],
      message: `got none, want the namespace of Prometheus, "monitoring" for that of kube-prometheus, with monitoring.enabled: metrics of pods are closed to all others`,
    },
  ];
}

type TypedPlacement =
  | { readonly kind: "local" | "hosts" }
  | {
      readonly kind: "kubernetes";
      readonly networkPolicies: { readonly enabled: boolean; readonly metricsFrom: readonly string[] };
    };
