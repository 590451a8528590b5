import type { Process } from "../process.ts";
import { file, text } from "../process.ts";
import { authority, client, pair } from "./certificates.ts";
import type { Controller } from "./controller.ts";
import { controllerProcess } from "./controller.ts";

/**
 * Takes replicas back from members that cannot run them; it asks the members' estimators, over mutual TLS, how many that
 * are. It has no `--feature-gates`.
 */
export function karmadaDeschedulerProcess(descheduler: Controller): Process {
  const grpc = client("karmada-descheduler-grpc", "system:karmada:karmada-descheduler-grpc");
  return controllerProcess(descheduler, {
    component: "karmada-descheduler",
    args: [
      text`--scheduler-estimator-ca-file=${file("pki/ca.crt")}`,
      text`--scheduler-estimator-cert-file=${file("pki/scheduler-estimator-client.crt")}`,
      text`--scheduler-estimator-key-file=${file("pki/scheduler-estimator-client.key")}`,
    ],
    files: { "pki/ca.crt": authority("karmada"), ...pair("pki/scheduler-estimator-client", grpc.name) },
    certificates: [grpc],
  });
}
