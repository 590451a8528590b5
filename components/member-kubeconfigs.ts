import * as pulumi from "@pulumi/pulumi";
import type { SshHostAddress } from "../lib/hosts/address.ts";
import { oneContext } from "../lib/kube/one-context.ts";
import { FetchedKubeconfig } from "../providers/fetched-kubeconfig.ts";
import type { MemberSettings } from "./member-args.ts";
import type { SimulatedCluster } from "./simulated-cluster.ts";

/**
 * The kubeconfig of an administrator of each member, by the member's name: as given, fetched from one of its hosts, or
 * from its simulation.
 *
 * @param simulated those of simulated members, by name
 */
export function memberKubeconfigs(
  name: string,
  members: readonly MemberSettings[],
  simulated: ReadonlyMap<string, SimulatedCluster>,
  parent: pulumi.Resource,
): ReadonlyMap<string, pulumi.Input<string>> {
  return new Map(
    members.map((member) => [
      member.name,
      kubeconfigOf(`${name}-member-${member.name}-kubeconfig`, member, simulated, { parent }),
    ]),
  );
}

function kubeconfigOf(
  name: string,
  { name: cluster, credentials }: MemberSettings,
  simulated: ReadonlyMap<string, SimulatedCluster>,
  opts: pulumi.CustomResourceOptions,
): pulumi.Input<string> {
  switch (credentials.kind) {
    case "kubeconfig": {
      const { kubeconfig, context } = credentials;
      return kubeconfig.apply((text) => oneContext(text, context));
    }
    case "ssh":
      return fetched(name, cluster, credentials, opts).kubeconfig;
    case "simulated": {
      const found = simulated.get(cluster);
      if (found === undefined) throw new Error(`${cluster}: no simulated cluster was planned for it`);
      return found.kubeconfig;
    }
  }
}

function fetched(
  name: string,
  cluster: string,
  { login, paths, server, context }: Extract<MemberSettings["credentials"], { kind: "ssh" }>,
  opts: pulumi.CustomResourceOptions,
): FetchedKubeconfig {
  return new FetchedKubeconfig(
    name,
    {
      cluster,
      host: pulumi.output({ kind: "ssh", name: cluster, ...login }) as pulumi.Output<SshHostAddress>,
      paths: [...paths],
      ...(server !== undefined && { server }),
      ...(context !== undefined && { context }),
      timeoutSeconds: 60,
    },
    opts,
  );
}
