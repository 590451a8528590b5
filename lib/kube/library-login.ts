import type { KubeConfig } from "@kubernetes/client-node";
import type { Connection } from "./kubeconfig.ts";
import { endOfReading, tokenIn } from "./token-file.ts";

/** Whether another login may yield other credentials. */
export const mayLogInAnew = ({ login, tokenFile }: Connection): boolean => login || tokenFile !== undefined;

/** When a login expires, in milliseconds since 1970; undefined if it does not say. */
export function endOfLogin(config: KubeConfig, { tokenFile }: Connection): number | undefined {
  if (tokenFile !== undefined) return endOfReading();
  const credentials = keepers(config).flatMap(({ tokenCache = {} }) => Object.values(tokenCache));
  const ends = credentials.map((each) => Date.parse(each?.status?.expirationTimestamp ?? ""));
  return ends.find((end) => !Number.isNaN(end));
}

/**
 * Makes the next login a new one: a program is run again, whatever expiry it gave for the last login, and a token is
 * read again from its file (`tokenFile`), which the library does not do by itself.
 */
export function forgetLogin(config: KubeConfig, { tokenFile, token = "" }: Connection): void {
  for (const each of keepers(config)) if (each.tokenCache !== undefined) each.tokenCache = {};
  if (tokenFile !== undefined) Object.assign(config.getCurrentUser() ?? {}, { token: tokenIn(tokenFile, token) });
}

/**
 * The part of an ExecCredential that is used here
 * (https://kubernetes.io/docs/reference/config-api/client-authentication.v1/).
 */
interface Credential {
  readonly status?: { readonly expirationTimestamp?: string };
}

/** The library's authenticator for exec plugins caches their results by user name. */
const keepers = (config: KubeConfig): { tokenCache?: Record<string, Credential | null> }[] =>
  (config as unknown as { authenticators?: [] }).authenticators ?? [];
