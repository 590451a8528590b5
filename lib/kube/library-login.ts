import type { KubeConfig } from "@kubernetes/client-node";
import type { Connection } from "./kubeconfig.ts";
import { endOfReading, tokenIn } from "./token-file.ts";

/** Whether there may be other credentials than the first. */
export const mayLogInAnew = ({ login, tokenFile }: Connection): boolean => login || tokenFile !== undefined;

/** When a login ends, in milliseconds since 1970; undefined where it does not say so. */
export function endOfLogin(config: KubeConfig, { tokenFile }: Connection): number | undefined {
  if (tokenFile !== undefined) return endOfReading();
  const credentials = keepers(config).flatMap(({ tokenCache = {} }) => Object.values(tokenCache));
  const ends = credentials.map((each) => Date.parse(each?.status?.expirationTimestamp ?? ""));
  return ends.find((end) => !Number.isNaN(end));
}

/**
 * Has the next login be a new one: a program is asked again, whatever it said of the end of the last login, and a token is
 * read again from its file, which the library does not know of by itself (`tokenFile`).
 */
export function forgetLogin(config: KubeConfig, { tokenFile, token = "" }: Connection): void {
  for (const each of keepers(config)) if (each.tokenCache !== undefined) each.tokenCache = {};
  if (tokenFile !== undefined) Object.assign(config.getCurrentUser() ?? {}, { token: tokenIn(tokenFile, token) });
}

/** As much of an ExecCredential as counts here (https://kubernetes.io/docs/reference/config-api/client-authentication.v1/). */
interface Credential {
  readonly status?: { readonly expirationTimestamp?: string };
}

/** That one of the library's authenticators which starts programs keeps what they gave, by the names of users. */
const keepers = (config: KubeConfig): { tokenCache?: Record<string, Credential | null> }[] =>
  (config as unknown as { authenticators?: [] }).authenticators ?? [];
