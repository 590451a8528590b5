import type { ForeignPlane } from "../../lib/adoption/plane.ts";

interface Exposed {
  readonly settings: object;
  readonly notes: readonly string[];
}

interface Service {
  readonly type?: string;
  readonly ports?: readonly { readonly port: number; readonly nodePort?: number }[];
}

/**
 * How the API servers are to be reached: as before, as far as possible.
 *
 * @param nodes the addresses of each. Those in the plane's certificate are what clients have; else the first is taken
 */
export function exposureOf(
  { service, names }: Pick<ForeignPlane, "service" | "names">,
  nodes: readonly (readonly string[])[],
): Exposed {
  const { type = "ClusterIP", ports = [] } = (service?.["spec"] ?? {}) as Service;
  const name = service?.metadata?.name;
  const isKnown = (address: string) => names.includes(address);
  switch (type) {
    case "NodePort": {
      const apiServer = ports[0]?.nodePort;
      const chosen = nodes.flatMap((addresses) => addresses.find(isKnown) ?? addresses.slice(0, 1));
      const addresses = [...chosen.filter(isKnown), ...chosen.filter((address) => !isKnown(address))];
      return {
        settings: { kind: "nodePort", addresses, apiServer },
        notes: [
          `NodePort ${apiServer} is kept: it is the old Service's until the plane is fenced, which the preview says; etcd gets 32379 and on (placement.exposure.etcd)`,
        ],
      };
    }
    case "LoadBalancer":
      return {
        settings: { kind: "loadBalancer", port: ports[0]?.port ?? 5443, etcd: {} },
        notes: [
          `the load balancer of the Service ${name} stays its own, the new plane gets others: clients go on by a name of yours that you lead there, or with the new address`,
        ],
      };
    default:
      return {
        settings: { kind: "clusterIP" },
        notes: [
          `the API server is reached within the host cluster only (Service ${name ?? "none"}): say in placement.exposure how this program is to reach it, and clients`,
        ],
      };
  }
}
