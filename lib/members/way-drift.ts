import { isDeepStrictEqual } from "node:util";
import type { KubeObject } from "../kube/client.ts";
import { parseKubeconfig } from "../kube/kubeconfig.ts";
import { secretRefs } from "./cluster-object.ts";

/** The fields of a Cluster that say how its member is reached. */
interface Way {
  readonly cluster: string;
  readonly memberKubeconfig: string;
  /** A declared one is compared with the rest of the description. */
  readonly proxy?: string | undefined;
}

/**
 * How the route to a member in its Cluster differs from its kubeconfig, in sentences. A member may be Ready all the
 * same: at another address, or without verification of its certificate. Values are not shown, since a proxy may have a
 * password.
 */
export function wayDrift({ spec }: KubeObject, { cluster, memberKubeconfig, proxy }: Way): string[] {
  const { server, insecureSkipTlsVerify, proxyUrl } = parseKubeconfig(memberKubeconfig);
  const wanted = {
    apiEndpoint: server,
    insecureSkipTLSVerification: insecureSkipTlsVerify || undefined,
    ...(proxy === undefined && { proxyURL: proxyUrl }),
    ...secretRefs(cluster),
  };
  return Object.entries(wanted).flatMap(([field, value]) =>
    isDeepStrictEqual(spec[field] || undefined, value) ? [] : [`${field} of the Cluster: was changed`],
  );
}
