import { isDeepStrictEqual } from "node:util";
import type { KubeObject } from "../kube/client.ts";
import { parseKubeconfig } from "../kube/kubeconfig.ts";
import { secretRefs } from "./cluster-object.ts";

/** By what a Cluster says how its member is reached. */
interface Way {
  readonly cluster: string;
  readonly memberKubeconfig: string;
  /** One that is declared is compared as the rest of a description is. */
  readonly proxy?: string | undefined;
}

/**
 * What of the way to a member is not in its Cluster as its kubeconfig has it, in sentences. A member may be Ready all the
 * same: by another address, or where its certificate is no longer verified. Values are not told, a proxy may have a password.
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
