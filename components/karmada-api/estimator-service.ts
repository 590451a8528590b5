import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { estimatorService } from "../../spec/members/estimator-names.ts";
import { serviceName } from "../estimator-aliases.ts";
import type { Placement } from "../placement.ts";
import type { Process } from "../process.ts";
import { systemLabels } from "./grants.ts";

/** The default port of karmada-scheduler and karmada-descheduler (`--scheduler-estimator-port`). */
const askedPort = 10352;

/**
 * Where the scheduler finds the estimator of a member: it looks for a Service of this name, dials its external name and
 * the port's target, and verifies that name.
 */
export function createEstimatorService(
  name: string,
  member: string,
  placement: Placement,
  estimator: Process,
  opts: pulumi.CustomResourceOptions,
): k8s.core.v1.Service {
  return new k8s.core.v1.Service(
    serviceName(name),
    {
      metadata: {
        name: estimatorService(member),
        namespace: "karmada-system",
        labels: { ...systemLabels, app: "karmada-scheduler-estimator" },
      },
      spec: {
        type: "ExternalName",
        externalName: placement.host(estimator.name),
        ports: [{ name: "grpc", port: askedPort, targetPort: placement.port(estimator.name, "grpc") }],
      },
    },
    opts,
  );
}
