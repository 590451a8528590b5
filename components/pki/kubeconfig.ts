import { stringify } from "yaml";
import { base64 } from "../../lib/base64.ts";

/** A kubeconfig with embedded PEM credentials. The same input gives the same text. */
export function renderKubeconfig(access: {
  readonly user: string;
  readonly server: string;
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}): string {
  const context = `${access.user}@karmada`;
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "karmada",
        cluster: { server: access.server, "certificate-authority-data": base64(access.authority) },
      },
    ],
    users: [
      {
        name: access.user,
        user: { "client-certificate-data": base64(access.certificate), "client-key-data": base64(access.key) },
      },
    ],
    contexts: [{ name: context, context: { cluster: "karmada", user: access.user } }],
    "current-context": context,
  });
}
