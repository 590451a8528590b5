import type { KubeClient, KubeObject } from "../kube/client.ts";
import { error, type Finding, type HostClusterNeeds, warning } from "./needs.ts";

type Needs = Pick<HostClusterNeeds, "namespace" | "nodePorts">;

/** Finds NodePorts that another Service has, including the deployment's own, or that most clusters do not allow. */
export async function judgeNodePorts(client: KubeClient, needs: Needs): Promise<Finding[]> {
  if (Object.keys(needs.nodePorts).length === 0) return [];
  return [...(await judgeTaken(client, needs)), ...judgeRange(needs)];
}

async function judgeTaken(client: KubeClient, { namespace, nodePorts }: Needs): Promise<Finding[]> {
  const { items } = await client.get<{ items: KubeObject[] }>("/api/v1/services");
  return items.flatMap(({ metadata, spec }) => {
    const isOurs = metadata?.namespace === namespace;
    const has = ((spec?.ports ?? []) as { nodePort?: number }[]).map(({ nodePort }) => nodePort);
    const holder = `the Service ${metadata?.namespace}/${metadata?.name}`;
    // A port can pass to another Service only once its holder has released it, which would happen in the same run.
    const taken = isOurs ? `is still that of ${holder}` : `is taken by ${holder}`;
    const another = isOurs ? "want one that none of the deployment has, if only until the next `up`," : "want another";
    return Object.entries(nodePorts).flatMap(([name, ports]) =>
      isOurs && name === metadata.name
        ? []
        : ports
            .filter((port) => has.includes(port))
            .map((port) => error("nodePorts", `${name}: NodePort ${port} ${taken}, ${another} in placement.exposure`)),
    );
  });
}

/**
 * Finds those out of the usual range. A cluster's actual range (`--service-node-port-range`) cannot be queried, not by
 * a dry run either.
 */
const judgeRange = ({ nodePorts }: Needs): Finding[] =>
  Object.entries(nodePorts).flatMap(([name, ports]) =>
    ports
      .filter((port) => port < 30_000 || port > 32_767)
      .map((port) =>
        warning(
          "nodePorts",
          `${name}: NodePort ${port} is out of 30000-32767, which is the range of most clusters; the API server refuses it unless the host cluster has another`,
        ),
      ),
  );
