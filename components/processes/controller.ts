import type { CertificateRequest, Process, Text } from "../process.ts";
import { loopback, port, text } from "../process.ts";
import type { ApiServer } from "./api-client.ts";
import { karmadaAccess, kubeconfigArgs } from "./api-client.ts";
import type { ComponentSettings } from "./settings.ts";
import { limits, settingsArgs } from "./settings.ts";

/** A program that works on the Karmada API and holds a lease there while it does. */
export interface Controller extends ComponentSettings {
  readonly name: string;
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
      "--leader-elect-resource-namespace=karmada-system",
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
