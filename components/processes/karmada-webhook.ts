import { bind, file, host, loopback, port, type Process, text } from "../process.ts";
import { type ApiServer, karmadaAccess, kubeconfigArgs } from "./api-client.ts";
import { serving } from "./certificates.ts";
import { type ComponentSettings, limits, settingsArgs } from "./settings.ts";

/** A replica of Karmada's webhook. */
export interface KarmadaWebhook extends ComponentSettings {
  readonly name: string;
  /** The process names of all its replicas, this one included. */
  readonly instances: readonly string[];
  readonly api: ApiServer;
}

/**
 * Admission for Karmada's own kinds and conversion of its bindings. Its health port has no check registered, so the
 * probe asks the serving port, with the slash at the end: without it the answer is a redirect.
 */
export function karmadaWebhookProcess(webhook: KarmadaWebhook): Process {
  const access = karmadaAccess(webhook.api, "karmada-webhook");
  const leaf = serving(
    "karmada-webhook-server",
    "karmada-webhook",
    webhook.instances.map((name) => [host(name)]),
  );
  return {
    name: webhook.name,
    component: "karmada-webhook",
    program: { name: "karmada-webhook", version: webhook.version },
    args: [
      ...kubeconfigArgs(access),
      text`--bind-address=${bind}`,
      text`--secure-port=${port("secure")}`,
      text`--cert-dir=${file("serving-cert")}`,
      "--tls-min-version=1.3",
      text`--metrics-bind-address=${loopback}:${port("metrics")}`,
      text`--health-probe-bind-address=${loopback}:${port("health")}`,
      "--allow-no-execute-taint-policy=true",
      ...settingsArgs(webhook),
    ],
    ports: ["secure", "metrics", "health"],
    callers: { secure: ["kube-apiserver"] },
    files: {
      "serving-cert/tls.crt": { from: "certificate", certificate: leaf.name },
      "serving-cert/tls.key": { from: "private-key", certificate: leaf.name },
      ...access.files,
    },
    certificates: [leaf, ...access.certificates],
    ...limits(webhook),
    probe: { kind: "http", scheme: "https", port: "secure", path: "/readyz/", authority: "karmada" },
    startDeadline: "120s",
    stopDeadline: "10s",
  };
}
