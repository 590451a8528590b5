import { bind, type CertificateRequest, host, port, type Process, type Text, text } from "../process.ts";
import { type ApiServer, karmadaAccess, serverKubeconfigArgs } from "./api-client.ts";
import { pair, serving, servingArgs } from "./certificates.ts";
import { type ComponentSettings, limits, settingsArgs } from "./settings.ts";

/** A server behind the Karmada API server's aggregation layer. */
export interface AggregatedServer extends ComponentSettings {
  readonly name: string;
  /** The process names of all its replicas, this one included. */
  readonly instances: readonly string[];
  readonly api: ApiServer;
}

/** What one of the three adds to their common part. */
export interface AggregatedServerParts {
  readonly component: "karmada-aggregated-apiserver" | "karmada-search" | "karmada-metrics-adapter";
  readonly args: readonly Text[];
  readonly ports: readonly string[];
  readonly files: Process["files"];
  readonly certificates: readonly CertificateRequest[];
  readonly probePath: string;
  /** See {@link Process.servingPath}. */
  readonly servingPath?: string;
}

/**
 * The aggregator verifies the name `<service>.<namespace>.svc` whatever host and port it dials, so one certificate
 * serves every replica. A stop waits a minute for open watches; nothing is lost if it is killed earlier.
 */
export function aggregatedServerProcess(server: AggregatedServer, parts: AggregatedServerParts): Process {
  const access = karmadaAccess(server.api, parts.component);
  const leaf = serving(`${parts.component}-server`, parts.component, [
    `${parts.component}.karmada-system.svc`,
    ...server.instances.map((name): Text => [host(name)]),
  ]);
  return {
    name: server.name,
    component: parts.component,
    program: { name: parts.component, version: server.version },
    args: [
      ...serverKubeconfigArgs(access),
      text`--bind-address=${bind}`,
      text`--secure-port=${port("secure")}`,
      ...servingArgs(`pki/${parts.component}`),
      "--tls-min-version=VersionTLS13",
      "--audit-log-path=-",
      "--audit-log-maxage=0",
      "--audit-log-maxbackup=0",
      ...parts.args,
      ...settingsArgs(server),
    ],
    ports: ["secure", ...parts.ports],
    callers: { secure: ["kube-apiserver"] },
    files: { ...pair(`pki/${parts.component}`, leaf.name), ...access.files, ...parts.files },
    certificates: [leaf, ...access.certificates, ...parts.certificates],
    ...limits(server),
    probe: { kind: "http", scheme: "https", port: "secure", path: parts.probePath, authority: "karmada" },
    ...(parts.servingPath !== undefined && { servingPath: parts.servingPath }),
    startDeadline: "120s",
    stopDeadline: "2s",
  };
}
