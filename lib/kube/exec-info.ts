import { readFileSync } from "node:fs";
import type { KubeConfig } from "@kubernetes/client-node";

/**
 * What a program that logs in finds in its environment, as client-go gives it: that nobody answers it, and the cluster where
 * the kubeconfig wants that (`provideClusterInfo`), without its `config`.
 */
export function execInfo(config: KubeConfig): { readonly KUBERNETES_EXEC_INFO?: string } {
  const { exec } = (config.getCurrentUser() ?? {}) as { readonly exec?: Exec };
  if (exec === undefined) return {};
  const spec = { interactive: false, ...(exec.provideClusterInfo === true && { cluster: clusterOf(config) }) };
  return { KUBERNETES_EXEC_INFO: JSON.stringify({ apiVersion: exec.apiVersion, kind: "ExecCredential", spec }) };
}

interface Exec {
  readonly apiVersion?: string;
  readonly provideClusterInfo?: boolean;
}

/** Fields of https://kubernetes.io/docs/reference/config-api/client-authentication.v1/#client-authentication-k8s-io-v1-Cluster */
function clusterOf(config: KubeConfig): object {
  const { server, tlsServerName, skipTLSVerify, caData, caFile, proxyUrl } = config.getCurrentCluster() ?? {};
  const ca = caFile === undefined ? caData : readFileSync(caFile).toString("base64");
  return {
    server,
    "tls-server-name": tlsServerName,
    "insecure-skip-tls-verify": skipTLSVerify === true ? true : undefined,
    "certificate-authority-data": ca,
    "proxy-url": proxyUrl,
  };
}
