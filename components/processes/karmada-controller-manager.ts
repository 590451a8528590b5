import type { Failover } from "../../spec/control-plane/failover.ts";
import type { Process } from "../process.ts";
import { type Controller, controllerProcess } from "./controller.ts";

/**
 * The retry back-off is capped at 10 s: with the default of 1000 s a member that returns from an outage keeps its old
 * workloads beside the new ones for as long as it was away.
 */
export function karmadaControllerManagerProcess(
  manager: Controller & { readonly failover: Readonly<Failover> },
): Process {
  const { failover, featureGates } = manager;
  return controllerProcess(
    { ...manager, featureGates: failover.enabled ? { ...featureGates, Failover: true } : featureGates },
    {
      component: "karmada-controller-manager",
      args: [
        "--cluster-status-update-frequency=10s",
        "--rate-limiter-max-delay=10s",
        ...(failover.enabled ? failoverArgs(failover) : []),
      ],
    },
  );
}

const failoverArgs = ({ evictionsPerSecond, purge }: Readonly<Failover>) => [
  "--enable-no-execute-taint-eviction=true",
  `--resource-eviction-rate=${evictionsPerSecond}`,
  `--no-execute-taint-eviction-purge-mode=${purge}`,
];
