import type { Process } from "../process.ts";
import type { Controller } from "./controller.ts";
import { controllerProcess } from "./controller.ts";

/**
 * Divides workloads among members. It asks no estimators: for each member without one it would wait ten seconds before
 * it schedules anything.
 */
export function karmadaSchedulerProcess(scheduler: Controller): Process {
  return controllerProcess(scheduler, { component: "karmada-scheduler", args: ["--enable-scheduler-estimator=false"] });
}
