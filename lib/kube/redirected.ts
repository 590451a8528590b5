import { parse, stringify } from "yaml";

/** A kubeconfig with another route to its server, which still has to identify itself as before. */
export function redirected(kubeconfig: string, server: string): string {
  const config = parse(kubeconfig) as { clusters?: { cluster?: Record<string, unknown> }[] };
  for (const { cluster } of config.clusters ?? []) {
    if (cluster === undefined) continue;
    cluster["tls-server-name"] ??= new URL(String(cluster["server"])).hostname;
    cluster["server"] = server;
  }
  return stringify(config);
}
