import type { Process } from "../process.ts";
import { type Controller, controllerProcess } from "./controller.ts";
import { estimatorClient } from "./estimator-client.ts";

/**
 * Removes replicas from members that cannot run them; it asks the members' estimators, over mutual TLS, how many there
 * are. It has no `--feature-gates`.
 */
export function karmadaDeschedulerProcess(descheduler: Controller): Process {
  return controllerProcess(descheduler, {
    component: "karmada-descheduler",
    ...estimatorClient("karmada-descheduler"),
  });
}
