import type { KubeClient, KubeObject } from "../kube/client.ts";
import { error, type Finding, type HostClusterNeeds } from "./needs.ts";

/** NodePorts that a Service of another namespace has. */
export async function judgeNodePorts(
  client: KubeClient,
  { namespace, nodePorts }: Pick<HostClusterNeeds, "namespace" | "nodePorts">,
): Promise<Finding[]> {
  if (Object.keys(nodePorts).length === 0) return [];
  const { items } = await client.get<{ items: KubeObject[] }>("/api/v1/services");
  return items.flatMap(({ metadata, spec }) => {
    if (metadata?.namespace === namespace) return [];
    const has = ((spec?.ports ?? []) as { nodePort?: number }[]).map(({ nodePort }) => nodePort);
    return Object.entries(nodePorts).flatMap(([name, ports]) =>
      ports
        .filter((port) => has.includes(port))
        .map((port) =>
          error(
            "nodePorts",
            `${name}: NodePort ${port} is taken by the Service ${metadata?.namespace}/${metadata?.name}, want another in placement.exposure`,
          ),
        ),
    );
  });
}
