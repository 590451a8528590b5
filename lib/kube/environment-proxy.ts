import { proxyFor } from "../../toolchain/net/proxy.ts";
import { parseKubeconfig } from "./kubeconfig.ts";
import { oneContext } from "./one-context.ts";

/**
 * The current context with the proxy that the environment names for its server, unless it has one of its own: kubectl and
 * Pulumi's kubernetes plugin go that way too (client-go's transport/cache.go, `http.ProxyFromEnvironment`). For connecting
 * only: what is kept of a kubeconfig must not depend on where pulumi runs.
 *
 * @param env @default process.env
 * @throws when the environment's proxy is none
 */
export function withEnvironmentProxy(kubeconfig: string, env: NodeJS.ProcessEnv = process.env): string {
  const { server, proxyUrl } = parseKubeconfig(kubeconfig);
  if (proxyUrl !== undefined || !URL.canParse(server)) return kubeconfig;
  const proxy = proxyFor(new URL(server), env, ["http", "https", "socks5", "socks5h"]);
  if (proxy === undefined) return kubeconfig;
  return oneContext(kubeconfig, undefined, (cluster) => ({ ...cluster, "proxy-url": proxy.address }));
}
