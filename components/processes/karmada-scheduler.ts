import type { Process } from "../process.ts";
import { type Controller, controllerProcess } from "./controller.ts";
import { estimatorClient } from "./estimator-client.ts";

/**
 * Divides workloads among members. It asks estimators only if every member has one: for each missing one, it would wait
 * ten seconds before it schedules anything.
 */
export function karmadaSchedulerProcess(scheduler: Controller & { readonly estimators: boolean }): Process {
  if (!scheduler.estimators)
    return controllerProcess(scheduler, {
      component: "karmada-scheduler",
      args: ["--enable-scheduler-estimator=false"],
    });
  const { args, ...asked } = estimatorClient("karmada-scheduler");
  return controllerProcess(scheduler, {
    component: "karmada-scheduler",
    args: ["--enable-scheduler-estimator=true", ...args],
    ...asked,
  });
}
