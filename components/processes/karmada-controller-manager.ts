import type { Process } from "../process.ts";
import type { Controller } from "./controller.ts";
import { controllerProcess } from "./controller.ts";

/**
 * The retry back-off is capped at 10 s: with the default of 1000 s a member that comes back after an outage keeps its
 * old workloads beside the new ones for as long as it was away.
 */
export function karmadaControllerManagerProcess(manager: Controller): Process {
  return controllerProcess(manager, {
    component: "karmada-controller-manager",
    args: ["--cluster-status-update-frequency=10s", "--rate-limiter-max-delay=10s"],
  });
}
