import type { CertificateRequest, Process, Text } from "../process.ts";
import { loopback, port, text } from "../process.ts";
import type { ApiServer } from "./api-client.ts";
import { karmadaAccess, kubeconfigArgs } from "./api-client.ts";
import type { ComponentSettings } from "./settings.ts";
import { limits, settingsArgs } from "./settings.ts";

/** A program that works on the Karmada API; of several replicas the one that holds the lease. */
export interface Controller extends ComponentSettings {
  readonly name: string;
  /** Whether another one may be there at the same time: they elect the one that works. */
  readonly elects: boolean;
  readonly api: ApiServer;
}

/** What one of them adds to what they have in common. */
export interface ControllerParts {
  readonly component: "karmada-controller-manager" | "karmada-scheduler" | "karmada-descheduler";
  readonly args: readonly Text[];
  readonly files?: Process["files"];
  readonly certificates?: readonly CertificateRequest[];
}

/** Each would take `:8080` for its metrics by default, and two of them the same health port; so all are given. */
export function controllerProcess(controller: Controller, parts: ControllerParts): Process {
  const access = karmadaAccess(controller.api, parts.component);
  return {
    name: controller.name,
    component: parts.component,
    program: { name: parts.component, version: controller.version },
    args: [
      ...kubeconfigArgs(access),
      text`--metrics-bind-address=${loopback}:${port("metrics")}`,
      text`--health-probe-bind-address=${loopback}:${port("health")}`,
      ...leaderElection(controller.elects, "karmada-system"),
      ...parts.args,
      ...settingsArgs(controller),
    ],
    ports: ["metrics", "health"],
    files: { ...access.files, ...parts.files },
    certificates: [...access.certificates, ...(parts.certificates ?? [])],
    ...limits(controller),
    probe: { kind: "http", scheme: "http", port: "health", path: "/healthz" },
    startDeadline: "120s",
    stopDeadline: "10s",
  };
}

/**
 * Replicas agree by a lease on the one that works. A single one needs none: it would renew it every two seconds for
 * nobody, a write on each member of etcd, and after a crash wait 15 s for the lease of its own past life to end.
 */
export function leaderElection(elects: boolean, namespace: string): readonly string[] {
  return elects ? ["--leader-elect=true", `--leader-elect-resource-namespace=${namespace}`] : ["--leader-elect=false"];
}
