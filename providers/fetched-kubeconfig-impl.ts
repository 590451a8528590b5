import { hostAt } from "../lib/hosts/hosts.ts";
import { prefixErrors } from "../lib/members/prefix-errors.ts";
import { fetchKubeconfig } from "../lib/members/host-kubeconfig.ts";
import { implement, unseen } from "./implementation.ts";
import type { FetchedKubeconfigInputs, FetchedKubeconfigOutputs } from "./fetched-kubeconfig.ts";

export const provider = implement<FetchedKubeconfigInputs, FetchedKubeconfigOutputs>({
  inputs: {
    cluster: "replace",
    host: "update",
    paths: "update",
    server: "update",
    context: "update",
    timeoutSeconds: "ignore",
  },
  id: ({ cluster }) => `${cluster}-kubeconfig`,
  diff: ({ expires }) => ({ changes: expires !== undefined && Date.parse(expires) < Date.now() + renewal }),
  create: fetch,
  update: fetch,
  async read(state) {
    const now = await fetch(state).catch(() => undefined);
    // If the host is away, or the file is being replaced, the known one stays.
    if (now === undefined) return unseen;
    if (now.kubeconfig === state.kubeconfig) return { state: {} };
    return { state: {}, drift: [`the kubeconfig at ${now.path} of ${state.host.address} is another one`] };
  },
  delete: () => Promise.resolve(),
});

/** Milliseconds before its expiry within which a new one is looked for. */
const renewal = 30 * 24 * 3600 * 1000;

function fetch({ cluster, host, ...wanted }: FetchedKubeconfigInputs): Promise<FetchedKubeconfigOutputs> {
  return prefixErrors(cluster, () => fetchKubeconfig(hostAt(host), host.address, wanted));
}
