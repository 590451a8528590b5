import type { HostCluster } from "../../lib/adoption/pod-access.ts";
import { connect, type KubeClient, type KubeObject } from "../../lib/kube/client.ts";
import { oneContext } from "../../lib/kube/one-context.ts";
import { checkKubeconfig } from "../../spec/kubeconfig.ts";
import { fileContent } from "../../stacks/named-files.ts";

/** Opens the host cluster that a kubeconfig's context leads to. @throws when its file cannot be used */
export async function openHostCluster(
  path: string,
  context: string | undefined,
  namespace: string,
): Promise<HostCluster> {
  const file = fileContent(path, process.cwd());
  if ("error" in file) throw new Error(`--kubeconfig: ${file.error}`);
  const [problem] = checkKubeconfig(file.text, context, new Date());
  if (problem !== undefined) throw new Error(`--kubeconfig ${path}: ${problem}`);
  const kubeconfig = oneContext(file.text, context);
  return { client: await connect(kubeconfig), kubeconfig, namespace };
}

/** The addresses of each node, first that at which others reach it. */
export async function nodeAddresses(client: KubeClient): Promise<string[][]> {
  const { items } = await client.get<{ items: KubeObject[] }>("/api/v1/nodes");
  const each = items.map(({ status }) => {
    const addresses = (status?.addresses ?? []) as { type: string; address: string }[];
    return ["ExternalIP", "InternalIP"].flatMap((wanted) =>
      addresses.flatMap(({ type, address }) => (type === wanted && !address.includes(":") ? [address] : [])),
    );
  });
  return each.filter((addresses) => addresses.length > 0);
}
