import type * as pulumi from "@pulumi/pulumi";
import { ApiReady } from "../providers/api-ready.ts";
import { administrator, type ControlPlane } from "./control-plane.ts";
import type { Ground } from "./placed.ts";

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
