import { connectAlone } from "../kube/client.ts";
import type { Connection } from "../kube/kubeconfig.ts";
import { KubeError, UnreachableError } from "../kube/error.ts";
import type { MemberCredentials } from "./credentials.ts";
import { clusterNamespace } from "./names.ts";
import { publicRoot } from "./public-root.ts";
import { tokenKubeconfig } from "./token-kubeconfig.ts";

/** How the control plane is to reach a member. */
export interface Endpoint {
  readonly apiEndpoint: string;
  /** PEM; empty when the certificate is not verified. */
  readonly caBundle: string;
  readonly insecureSkipTLSVerification: boolean;
  readonly proxyURL?: string;
}

/**
 * Calls the member as Karmada will, with a new token, and finds the authority that verifies it: the kubeconfig's, else
 * the one by which this machine trusts it, else the member's own.
 */
export async function probeEndpoint(
  connection: Connection,
  credentials: Pick<MemberCredentials, "token" | "ca">,
): Promise<Endpoint> {
  const { server, ca, insecureSkipTlsVerify, proxyUrl } = connection;
  const endpoint = {
    apiEndpoint: server,
    insecureSkipTLSVerification: insecureSkipTlsVerify,
    ...(proxyUrl !== undefined && { proxyURL: proxyUrl }),
  };
  // Only Karmada itself can try a proxy.
  if (proxyUrl !== undefined) return { ...endpoint, caBundle: ca ?? credentials.ca };
  const known = insecureSkipTlsVerify ? [""] : [ca ?? (await publicRoot(server)), credentials.ca];
  const candidates = known.filter((each) => each !== undefined);
  let refusal: unknown;
  for (const caBundle of candidates) {
    try {
      await probe({ ...endpoint, caBundle }, credentials.token);
      return { ...endpoint, caBundle };
    } catch (error) {
      refusal ??= error;
      if (!(error instanceof UnreachableError)) break;
    }
  }
  const advice = isUnknown(refusal)
    ? `\nwhat listens at ${server} does not know the member's accounts, as a proxy with logins of its own (such as Rancher's); ` +
      "give a kubeconfig that leads to the member's API server itself; where the member has got another key of service accounts " +
      `since, delete the Secrets of Karmada's tokens in its namespace ${clusterNamespace}, and the next up makes new ones`
    : "";
  throw new Error(`the member does not answer to Karmada's own token: ${(refusal as Error).message}${advice}`, {
    cause: refusal,
  });
}

/** Whether a member refuses a token; one behind a proxy, which cannot be asked from here, counts as refusing. */
export async function refuses(endpoint: Endpoint, token: string): Promise<boolean> {
  if (endpoint.proxyURL !== undefined) return true;
  try {
    await probe(endpoint, token);
    return false;
  } catch (error) {
    if (isUnknown(error)) return true;
    throw error;
  }
}

/** Whether the server does not accept the token (401). */
const isUnknown = (error: unknown): boolean => error instanceof KubeError && error.status === 401;

async function probe(endpoint: Endpoint, token: string): Promise<void> {
  const client = await connectAlone(tokenKubeconfig("member", endpoint, token));
  try {
    await client.request("GET", "/readyz", { timeout: 5000 });
  } finally {
    client.close();
  }
}
