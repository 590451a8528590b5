import { yamlText } from "../yaml-text.ts";
import type { Endpoint } from "./endpoint.ts";
import { base64 } from "../base64.ts";

/** A kubeconfig for a service account of a member, with the endpoint that was found. */
export function tokenKubeconfig(cluster: string, endpoint: Endpoint, token: string): string {
  const { apiEndpoint: server, caBundle, insecureSkipTLSVerification, proxyURL } = endpoint;
  return yamlText({
    apiVersion: "v1",
    kind: "Config",
    "current-context": cluster,
    contexts: [{ name: cluster, context: { cluster, user: cluster } }],
    clusters: [
      {
        name: cluster,
        cluster: {
          server,
          ...(insecureSkipTLSVerification
            ? { "insecure-skip-tls-verify": true }
            : { "certificate-authority-data": base64(caBundle) }),
          ...(proxyURL !== undefined && { "proxy-url": proxyURL }),
        },
      },
    ],
    users: [{ name: cluster, user: { token } }],
  });
}
