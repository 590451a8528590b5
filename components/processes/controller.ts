import { type CertificateRequest, loopback, port, type Process, type Text, text } from "../process.ts";
import { type ApiServer, karmadaAccess, kubeconfigArgs } from "./api-client.ts";
import { type ComponentSettings, limits, settingsArgs } from "./settings.ts";

/** A program that works on the Karmada API; of several replicas only the one with the lease works. */
export interface Controller extends ComponentSettings {
  readonly name: string;
  /** Whether another one may exist at the same time: then they elect a leader. */
  readonly elects: boolean;
  readonly api: ApiServer;
}

/** What one of them adds to their common part. */
export interface ControllerParts {
  readonly component: "karmada-controller-manager" | "karmada-scheduler" | "karmada-descheduler";
  readonly args: readonly Text[];
  readonly files?: Process["files"];
  readonly certificates?: readonly CertificateRequest[];
}

/** By default each would use `:8080` for its metrics, and two of them the same health port; so all ports are set. */
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
 * Replicas elect a leader with a lease. A single one needs none: it would renew it every two seconds for nobody, a
 * write on each member of etcd, and after a crash wait 15 s for its own old lease to expire.
 */
export function leaderElection(elects: boolean, namespace: string): readonly string[] {
  return elects ? ["--leader-elect=true", `--leader-elect-resource-namespace=${namespace}`] : ["--leader-elect=false"];
}
