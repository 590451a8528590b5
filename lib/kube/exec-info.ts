import type { KubeConfig } from "@kubernetes/client-node";
import type { Connection } from "./kubeconfig.ts";
import { base64 } from "../base64.ts";

/**
 * The environment of an exec credential plugin, as client-go gives it: that it is not interactive, and the cluster if
 * the kubeconfig wants that (`provideClusterInfo`).
 */
export function execInfo(config: KubeConfig, connection: Connection): { readonly KUBERNETES_EXEC_INFO?: string } {
  const { exec } = (config.getCurrentUser() ?? {}) as { readonly exec?: Exec };
  if (exec === undefined) return {};
  const spec = { interactive: false, ...(exec.provideClusterInfo === true && { cluster: clusterOf(connection) }) };
  return { KUBERNETES_EXEC_INFO: JSON.stringify({ apiVersion: exec.apiVersion, kind: "ExecCredential", spec }) };
}

interface Exec {
  readonly apiVersion?: string;
  readonly provideClusterInfo?: boolean;
}

/** Fields of https://kubernetes.io/docs/reference/config-api/client-authentication.v1/#client-authentication-k8s-io-v1-Cluster */
const clusterOf = ({ server, tlsServerName, insecureSkipTlsVerify, ca, proxyUrl, execConfig }: Connection): object => ({
  server,
  "tls-server-name": tlsServerName,
  "insecure-skip-tls-verify": insecureSkipTlsVerify ? true : undefined,
  "certificate-authority-data": ca && base64(ca),
  "proxy-url": proxyUrl,
  config: execConfig,
});
