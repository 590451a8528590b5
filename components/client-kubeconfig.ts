import * as pulumi from "@pulumi/pulumi";
import { ApiReady } from "../providers/api-ready.ts";
import type { Client } from "../spec/pki/clients.ts";
import { administrator } from "./administrator.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { Ground } from "./placed.ts";
import type { CertificateRequest } from "./process.ts";

/** The administrator's kubeconfig; if people are given a front that others run, once it leads to an API server. */
export function clientKubeconfig(
  name: string,
  { placement, pki }: Ground,
  { url, kubeconfig, gate }: ControlPlane,
  opts: pulumi.CustomResourceOptions,
): pulumi.Output<string> {
  const { endpoint } = placement;
  if (endpoint === undefined || endpoint === url) return kubeconfig;
  const front = new ApiReady(
    name,
    { kubeconfig: pki.kubeconfig(administrator.name, "karmada", endpoint), timeoutSeconds: 120 },
    { ...opts, dependsOn: gate },
  );
  return front.kubeconfig;
}

/** The certificate of a declared client. */
export const clientCertificate = ({ name, user = name, group }: Client): CertificateRequest => ({
  name: `client-${name}`,
  authority: administrator.authority,
  commonName: user,
  ...(group !== undefined && { organization: group }),
  usages: ["client"],
});

/**
 * The kubeconfigs of declared clients, by their names. They lead to where the administrator's does.
 *
 * @param after the administrator's: they are known once it is
 */
export function declaredKubeconfigs(
  clients: readonly Client[],
  { placement, pki }: Ground,
  { url }: ControlPlane,
  after: pulumi.Output<string>,
): pulumi.Output<Record<string, string>> {
  const server = placement.endpoint ?? url;
  const own = clients.map((client) => {
    const { name, authority } = clientCertificate(client);
    return [client.name, pki.kubeconfig(name, authority, server)] as const;
  });
  return pulumi.secret(pulumi.all([pulumi.all(Object.fromEntries(own)), after]).apply(([kubeconfigs]) => kubeconfigs));
}
