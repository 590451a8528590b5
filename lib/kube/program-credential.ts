import type { KubeConfig } from "@kubernetes/client-node";

/** When the login that a program gave (`exec`) ends, in milliseconds since 1970; undefined where it does not say so. */
export function endOfLogin(config: KubeConfig): number | undefined {
  const credentials = keepers(config).flatMap(({ tokenCache = {} }) => Object.values(tokenCache));
  const ends = credentials.map((each) => Date.parse(each?.status?.expirationTimestamp ?? ""));
  return ends.find((end) => !Number.isNaN(end));
}

/** Has the program asked again with the next login, whatever it said of the end of the last one. */
export function forgetLogin(config: KubeConfig): void {
  for (const each of keepers(config)) if (each.tokenCache !== undefined) each.tokenCache = {};
}

/** As much of an ExecCredential as counts here (https://kubernetes.io/docs/reference/config-api/client-authentication.v1/). */
interface Credential {
  readonly status?: { readonly expirationTimestamp?: string };
}

/** That one of the library's authenticators which starts programs keeps what they gave, by the names of users. */
const keepers = (config: KubeConfig): { tokenCache?: Record<string, Credential | null> }[] =>
  (config as unknown as { authenticators?: [] }).authenticators ?? [];
